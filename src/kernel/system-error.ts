const sentences: Readonly<Record<string, (at: string) => string>> = {
  ENOSPC: () => 'No space is left on the device; free some space, then try again.',
  EDQUOT: () => 'The disk quota is used up; free some space, then try again.',
  EFBIG: () => 'A file would be larger than this system allows; write to another place.',
  EROFS: (at) => `${at} is on a file system that can only be read; name another place.`,
  EACCES: (at) => `Access to ${at} was denied; change its permissions, or name another place.`,
  EPERM: (at) => `Access to ${at} was denied; change its permissions, or name another place.`,
  ENOENT: (at) => `${at} does not exist; check the path.`,
  ENOTDIR: (at) => `${at} goes through something that is not a folder; check the path.`,
  EISDIR: (at) => `${at} is a folder; name a file.`,
  EMFILE: () => 'This process has too many files open; raise the limit (ulimit -n), then try again.',
  ENFILE: () => 'This system has too many files open; close some programs, then try again.',
}

/** What an error of the operating system means, and what to do; undefined for any other error. */
export function toSystemSentence(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const path = 'path' in error && typeof error.path === 'string' ? error.path : 'the file'
  const sentence = sentences[String(error.code)]?.(path)
  return sentence?.replace(/^the /, 'The ')
}
