import type { Content, PromptMessages, ToolAnswer } from '../../src/mcp/protocol.ts'

// What the fixtures of the conformance suite are made of.

export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

export const text = (value: string): Content => ({ type: 'text', text: value })
export const answer = (...content: Content[]): ToolAnswer => ({ content })
export const image: Content = { type: 'image', data: png, mimeType: 'image/png' }
export const embedded = (uri: string, value: string, mimeType = 'text/plain'): Content => ({
  type: 'resource',
  resource: { uri, mimeType, text: value },
})
export const user = (content: Content): PromptMessages['messages'][number] => ({ role: 'user', content })
