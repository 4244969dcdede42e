import Database from 'better-sqlite3'
import { loadNative } from '../runtime/native-load.ts'

// The driver loads its native module with the first database.
loadNative(() => {
  try {
    new Database(':memory:').close()
  } catch {
    // The next database that is opened fails as well, with a message.
  }
})

export { Database }
