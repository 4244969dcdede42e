import { toSafeText } from '../detectors/safe-text.ts'

/** A member that nobody knows is named as far as it helps to find it. */
const MAX_SHOWN_KEY = 60

/** The name of an unknown member as it may be shown. */
export const showKey = (key: string): string => toSafeText(key, 'prose', MAX_SHOWN_KEY)
