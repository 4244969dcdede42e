import type { SourceDetector } from '../detector.ts'
import { ContentQualityConfig, qualityTypes } from './config.ts'
import { encodeTextFacts, toTextFacts } from './text-facts.ts'

const TYPE = 'CONTENT_QUALITY'

/** Evaluates the platform's facts and the stored counts and marks of the text. */
export const contentQualityDetector: SourceDetector<ContentQualityConfig> = {
  type: TYPE,
  title: 'Content quality',
  description:
    'Finds pages that have not been edited for a long time, whose owner has left, that are empty or unfinished, or that present an old year as current; old open comments; reports and datasets without a description or owner. Facts that the platform does not report are never findings; style and correctness of the text are not judged.',
  category: 'QUALITY',
  version: 1,
  reads: 'digests',
  config: ContentQualityConfig,
  findingTypes: qualityTypes,
  digest: (document, { asset }) =>
    asset.kind === 'wiki.page' ? encodeTextFacts(toTextFacts(document, asset, TYPE)) : undefined,
}
