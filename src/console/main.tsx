import '../charts/charts.css'
import './console.css'
import { render } from 'preact'
import { Console, startTheme } from './shell.tsx'

const root = document.getElementById('app')
if (root !== null) render(<Console />, root)
// After the first questions are on their way, and before the first paint.
startTheme()
