import type { SourceDetector } from '../detector.ts'
import { ContentQualityConfig, qualityTypes } from './config.ts'
import { encodeTextFacts, toTextFacts } from './text-facts.ts'

const TYPE = 'CONTENT_QUALITY'

/** Evaluates the platform's facts and the stored counts and marks of the text. */
export const contentQualityDetector: SourceDetector<ContentQualityConfig> = {
  type: TYPE,
  title: 'Content quality',
  description:
    'Finds pages that nobody edited for long, whose owner has left, that are empty, unfinished or call an old year the present, old open comments, and reports and datasets without description or owner. A fact that the platform does not give is never a finding; style and correctness of the text are not judged.',
  category: 'QUALITY',
  version: 1,
  config: ContentQualityConfig,
  findingTypes: qualityTypes,
  digest: (document, { asset }) =>
    asset.kind === 'wiki.page' ? encodeTextFacts(toTextFacts(document, asset, TYPE)) : undefined,
}
