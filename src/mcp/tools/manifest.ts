import type { Scope } from '../../operation/context.ts'
import { readBuilt } from '../../runtime/package-files.ts'
import type { McpSurface, ResourceChange } from '../protocol.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Toolset } from './tools.ts'

/**
 * What a client asks for first, without anything that is stored: the build writes it down, so that a start need not
 * make it.
 */
export interface ToolManifest
  extends Pick<McpSurface, 'server' | 'instructions' | 'tools' | 'resourceTemplates' | 'prompts'> {
  /** Whole schemas of what tools list as open objects, by resource name. */
  schemas: Readonly<Record<string, JsonSchema>>
  plainTools: readonly string[]
  /** The scope that each tool needs. */
  scopes: Readonly<Record<string, Scope>>
}

export interface ManifestSelection {
  toolsets: readonly Toolset[]
  readOnly: boolean
}

/** Where the build keeps the frame of a selection, below `dist`. */
export function manifestFile({ toolsets, readOnly }: ManifestSelection): string {
  return `frames/${[...new Set(toolsets)].sort().join('-')}${readOnly ? '-read' : ''}.json`
}

/** The frame that the build drew; undefined when the sources run as they are. */
export function findManifest(selection: ManifestSelection): ToolManifest | undefined {
  const text = readBuilt(manifestFile(selection))
  return text === undefined ? undefined : JSON.parse(text)
}

/** A surface that has its lists at once and loads the rest with the first request that needs it. */
export function deferSurface(frame: ToolManifest, load: () => Promise<McpSurface>): McpSurface {
  const listeners = new Set<(change: ResourceChange) => void>()
  let loading: Promise<McpSurface> | undefined
  const loaded = () => {
    loading ??= load().then((surface) => {
      surface.onChange((change) => {
        for (const listener of listeners) listener(change)
      })
      return surface
    })
    return loading
  }
  return {
    ...frame,
    listTools: ({ scopes }) => frame.tools.filter(({ name }) => scopes.has(frame.scopes[name] ?? 'admin')),
    isPlainTool: (name) => frame.plainTools.includes(name),
    callTool: async (name, input, exchange) => (await loaded()).callTool(name, input, exchange),
    listResources: async (exchange) => (await loaded()).listResources(exchange),
    readResource: async (uri, exchange) => (await loaded()).readResource(uri, exchange),
    getPrompt: async (name, input, exchange) => (await loaded()).getPrompt(name, input, exchange),
    complete: async (subject, argument, typed, exchange) =>
      (await loaded()).complete(subject, argument, typed, exchange),
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
