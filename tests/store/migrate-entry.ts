// Migrates the database named by the first argument by the migrations in the second, adds a word, and says so.
import { openConnection } from '../../src/store/connection.ts'
import { migrate } from '../../src/store/migrate.ts'

const [file = '', migrations = '[]', word = ''] = process.argv.slice(2)
const database = openConnection(file, { cacheBytes: 1_000_000 })
migrate(database, Date.now, JSON.parse(migrations))
database.prepare('INSERT INTO word (text) VALUES (?)').run(word)
database.close()
process.stdout.write('done')
