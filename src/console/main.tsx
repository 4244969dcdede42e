import '../charts/charts.css'
import './console.css'
import { render } from 'preact'
import { Console } from './shell.tsx'

const root = document.getElementById('app')
if (root !== null) render(<Console />, root)
