import { toCsv } from '../kernel/csv.ts'
import { quoteJson } from '../kernel/quoted-json.ts'
import type { ViewAnswer } from '../query/view-model.ts'
import type { PageQuestion } from './model.ts'

/** The series of an answer, and every breakdown below it. */
export function toViewCsv({ series, boards, metric }: ViewAnswer): string {
  const { timeSeries, previous } = series
  const points = timeSeries.map(({ timestamp, value, complete }, index) => [
    timestamp,
    value,
    String(complete),
    previous?.[index]?.value ?? null,
  ])
  const groups = boards.flatMap(({ dimension, breakdown, other }) => [
    ...breakdown.map((entry) => [dimension, entry.dimensionValue, entry.value, entry.previous ?? null]),
    ...(other === undefined ? [] : [[dimension, `${other.groups} others`, other.value, other.previous ?? null]]),
  ])
  return [
    toCsv([['timestamp', metric.slug, 'complete', 'previous'], ...points]),
    toCsv([['dimension', 'value', metric.slug, 'previous'], ...groups]),
  ].join('\r\n')
}

const quoteShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The question as other doors take it. */
export function toCopies(question: PageQuestion, origin: string) {
  const { metricSlug, from, to, filters = {}, dimensions = [], glossaryTermSlug } = question
  const compare = typeof question.compare === 'object' ? question.compare : undefined
  const asked = {
    metricSlug,
    ...(glossaryTermSlug === undefined ? {} : { glossaryTermSlug }),
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
    from: question.focus?.from ?? from,
    to: question.focus?.to ?? to,
    ...(dimensions[0] === undefined ? {} : { dimensions: [dimensions[0]] }),
    ...(compare === undefined || question.focus !== undefined ? {} : { compare }),
  }
  const json = JSON.stringify(asked)
  return {
    command: `assay call query_metric ${quoteJson(asked)}`,
    curl: `curl -s ${origin}/semantic/query -H 'content-type: application/json' -d ${quoteShell(json)}`,
    mcp: JSON.stringify({ method: 'tools/call', params: { name: 'query_metric', arguments: asked } }, null, 2),
  }
}

/** Saves a file on the user's machine. */
export function save(name: string, blob: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

const drawn = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity', 'font', 'stop-color', 'stop-opacity']

/** The chart as a file of its own, with its colours in it. */
export function toSvgText(chart: SVGSVGElement): string {
  const copy = chart.cloneNode(true) as SVGSVGElement
  const [from, to] = [chart.querySelectorAll('*'), copy.querySelectorAll('*')]
  for (const [index, element] of [...from].entries()) {
    const style = getComputedStyle(element)
    const target = to[index]
    for (const name of drawn) target?.setAttribute(name, style.getPropertyValue(name))
    target?.removeAttribute('class')
  }
  copy.querySelector('.cursor')?.remove()
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.setAttribute('style', `background:${getComputedStyle(document.documentElement).getPropertyValue('--card')}`)
  return new XMLSerializer().serializeToString(copy)
}

/** The chart as a picture of twice its size. */
export async function toPng(chart: SVGSVGElement): Promise<Blob> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(toSvgText(chart))}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = chart.clientWidth * 2
  canvas.height = chart.clientHeight * 2
  const pen = canvas.getContext('2d')
  if (pen === null) throw new Error('this browser cannot draw pictures')
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--card')
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('no picture')) : resolve(blob)), 'image/png')
  })
}
