import type { Icon } from '../protocol.ts'

const toIcon = (path: string): Icon => {
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><path d='${path}'/></svg>`
  return { src: `data:image/svg+xml,${encodeURI(svg)}` }
}

/** A stamp and its imprint, for an assay. */
export const stamp: Icon = {
  ...toIcon('M1,8V7h6v1zM1,6V4h2l-.5-3a1.5,1.5,0,0,1,3,0L5,4h2v2z'),
  mimeType: 'image/svg+xml',
  sizes: ['any'],
}
