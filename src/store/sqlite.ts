import Database from 'better-sqlite3'
import { loadNative } from '../runtime/native-load.ts'

// The driver loads its native module with the first database.
loadNative(() => new Database(':memory:').close())

export { Database }
