import { type GeneratedWikiOptions, generatedWiki } from '../sample/generated-wiki.ts'
import { startSampleWiki } from '../sample/servers.ts'

/** A generated wiki in a process of its own: its memory and its work are not those of the scanner. */
const { latencyMs, ...options } = JSON.parse(process.argv[2] ?? '{}') as GeneratedWikiOptions & { latencyMs: number }

async function serve(): Promise<void> {
  const wiki = await startSampleWiki({ tenant: generatedWiki(options), latencyMs })
  let answered = 0
  process.on('message', (message) => {
    if (message === 'count') {
      // The record of requests would grow with every scan.
      answered += wiki.requests.splice(0).length
      process.send?.({ answered })
    } else {
      void wiki.close().then(() => process.exit(0))
    }
  })
  setInterval(() => {
    answered += wiki.requests.splice(0).length
  }, 1_000).unref()
  process.on('disconnect', () => process.exit(0))
  process.send?.({ url: wiki.url })
}

void serve()
