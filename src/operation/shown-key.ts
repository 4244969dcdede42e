import { toSafeText } from '../detectors/safe-text.ts'

/** Maximum length at which an unknown member is named. */
const MAX_SHOWN_KEY = 60

/** The name of an unknown member, masked and cut for messages. */
export const showKey = (key: string): string => toSafeText(key, 'prose', MAX_SHOWN_KEY)
