import type { Break } from './break.ts'

const excerpt = 'src/detectors/excerpt.ts'
const redactionTest = 'tests/detectors/redaction.test.ts'
const archive = 'src/documents/office/archive.ts'
const importLine = 'src/imports/read/import-line.ts'
const importTest = 'tests/imports/import.test.ts'
const yaml = 'src/definitions/yaml.ts'
const filesTest = 'tests/definitions/files.test.ts'

/** What is kept of content, and what content may cost. */
export const contentBreaks: readonly Break[] = [
  {
    id: 'match-not-veiled',
    rule: 'No excerpt shows another find beside its own.',
    file: excerpt,
    find: 'excerpt += covers(range, match) ? shownOf(match) : VEIL',
    put: 'excerpt += covers(range, match) ? shownOf(match) : text.slice(range.start, range.end)',
    test: { file: redactionTest },
  },
  {
    id: 'match-shown',
    rule: 'No excerpt shows what was found.',
    file: excerpt,
    find: 'excerpt += covers(range, match) ? shownOf(match) : VEIL',
    put: 'excerpt += covers(range, match) ? text.slice(range.start, range.end) : VEIL',
    test: { file: redactionTest },
  },
  {
    id: 'match-shown-again',
    rule: 'No excerpt shows what was found where it stands a second time.',
    file: excerpt,
    find: '    excerpt += withoutValues(text.slice(at, range.start), values)\n',
    put: '    excerpt += withoutValues(text.slice(at, range.start), [])\n',
    test: { file: 'tests/detectors/excerpt.test.ts' },
  },
  {
    id: 'excerpt-unbounded',
    rule: 'An excerpt is short, however long its text.',
    file: excerpt,
    find: 'const SURROUNDINGS = 40',
    put: 'const SURROUNDINGS = 40_000',
    test: { file: 'tests/detectors/excerpt.test.ts' },
  },
  {
    id: 'name-with-credential',
    rule: 'No name of an asset is kept with a credential in it.',
    file: 'src/connectors/safe-session.ts',
    find: "    name: toSafeText(draft.name, 'prose'),",
    put: '    name: draft.name as SafeText,',
    test: { file: 'tests/scans/redaction.test.ts' },
  },
  {
    id: 'import-not-masked',
    rule: 'The excerpt of an imported finding is masked like our own.',
    file: 'src/imports/stage/staging.ts',
    find: 'const masked = redactTexts(excerpts)[Symbol.iterator]()',
    put: 'const masked = (redactTexts([]), excerpts)[Symbol.iterator]()',
    test: { file: importTest, title: 'has its excerpt masked' },
  },
  {
    id: 'import-name-with-credential',
    rule: 'No name of an imported asset is kept with a credential in it.',
    file: importLine,
    find: "if (name !== undefined) told.name = toSafeTextOnce(name, 'prose')",
    put: 'if (name !== undefined) told.name = name as SafeText',
    test: { file: 'tests/imports/imported-asset.test.ts' },
  },
  {
    id: 'address-with-credential',
    rule: 'No address of an asset is kept with a credential in it.',
    file: 'src/connectors/safe-session.ts',
    find: '    url: toSafeAddress(draft.url),',
    put: '    url: draft.url as SafeText,',
    test: { file: 'tests/scans/scan.test.ts', title: 'keeps no address with a credential' },
  },
  {
    id: 'archive-inflates-without-end',
    rule: 'An archive is inflated up to 50 MB.',
    file: archive,
    find: 'if (inflated > MAX_INFLATED_BYTES)',
    put: 'if (inflated < 0)',
    test: { file: 'tests/documents/archive.test.ts', title: 'of more than 50 MB unpacked' },
  },
  {
    id: 'aliases-without-end',
    rule: 'A file of definitions cannot grow by aliases.',
    file: yaml,
    find: 'const MAX_ALIASES = 100',
    put: 'const MAX_ALIASES = 1_000_000',
    test: { file: filesTest, title: 'many aliases of one value' },
  },
  {
    id: 'archive-packed-too-tight',
    rule: 'An archive that is packed tighter than any document is left.',
    file: archive,
    find: 'else if (inflated > SMALL_BYTES && inflated > bytes.length * MAX_INFLATE_RATIO) {',
    put: 'else if (inflated < 0) {',
    test: { file: 'tests/documents/archive.test.ts' },
  },
  {
    id: 'archive-of-many-files',
    rule: 'An archive of more than 2,000 files is left.',
    file: archive,
    find: 'if (entries > MAX_ZIP_ENTRIES)',
    put: 'if (entries < 0)',
    test: { file: 'tests/documents/archive.test.ts' },
  },
  {
    id: 'detector-without-limit',
    rule: 'A detector that takes too long is stopped.',
    file: 'src/detectors/pool.ts',
    find: 'arm(slot, budgetMs)\n      return',
    put: 'arm(slot, 3_600_000 + budgetMs)\n      return',
    test: { file: 'tests/detectors/pool.test.ts', title: 'stops a detector that takes too long' },
  },
  {
    id: 'pattern-not-linear',
    rule: 'A pattern that a person wrote takes linear time.',
    file: 'src/detectors/custom/pattern.ts',
    find: 'matches: (text) => compiled.matcher(text).find(),',
    put: "matches: (text) => new RegExp(source, flags.includes('i') ? 'i' : '').test(text),",
    also: [
      {
        file: 'src/detectors/custom/pattern.ts',
        find: '      const matcher = compiled.matcher(text)\n',
        put: "      if (!new RegExp(source.replaceAll('(?P<', '(?<')).test(text)) return\n      const matcher = compiled.matcher(text)\n",
      },
    ],
    test: { file: 'tests/detectors/custom/rules.test.ts' },
  },
  {
    id: 'pattern-too-large',
    rule: 'A pattern that compiles to too many steps is refused.',
    file: 'src/detectors/custom/pattern.ts',
    find: 'if (compiled.programSize() > MAX_PROGRAM)',
    put: 'if (compiled.programSize() < 0)',
    test: { file: 'tests/detectors/custom/rules.test.ts' },
  },
  {
    id: 'prototype-named',
    rule: 'A file of definitions cannot name the prototype.',
    file: yaml,
    find: "if (!isScalar(key) || key.value !== '__proto__') return",
    put: "if (!isScalar(key) || key.value !== '__proto') return",
    test: { file: filesTest },
  },
  {
    id: 'link-followed-out',
    rule: 'No link leads out of a folder of definitions.',
    file: 'src/definitions/folder.ts',
    find: 'isInside(folder, join(folder, path))',
    put: "path !== ''",
    test: { file: 'tests/definitions/hostile-folder.test.ts', title: 'a link in a folder of definitions' },
  },
  {
    id: 'dated-ahead-accepted',
    rule: 'An import is not dated more than a day ahead.',
    file: 'src/imports/read/import-line.ts',
    find: 'toMs(line[path]) <= latest) continue',
    put: 'latest !== 0) continue',
    test: { file: 'tests/imports/import.test.ts', title: 'that is dated ahead of the clock' },
  },
  {
    id: 'read-makes-folder',
    rule: 'A command that only reads makes no data folder.',
    file: 'src/cli/program.ts',
    find: "(await findDataUse(command)) !== 'existing'",
    put: '(await findDataUse(command)) !== undefined',
    test: { file: 'tests/cli/data-use.test.ts', title: 'the data folder' },
  },
  {
    id: 'definition-file-too-large',
    rule: 'A file of definitions has a size that definitions have.',
    file: 'src/definitions/folder.ts',
    find: 'readRegularFile(file, { maxBytes: MAX_FILE_BYTES })',
    put: 'readRegularFile(file)',
    test: { file: filesTest },
  },
  {
    id: 'search-text-in-sql',
    rule: 'A text that is searched for is bound.',
    file: 'src/store/cached-query.ts',
    find: 'return new Statement(sql, parameters)',
    put: `const texts = parameters[Symbol.iterator]()
  const written = sql.replaceAll('?', () => {
    const { value } = texts.next()
    return typeof value === 'string' ? "'" + value + "'" : '?'
  })
  return new Statement(
    written,
    parameters.filter((value) => typeof value !== 'string'),
  )`,
    test: { file: 'tests/catalogue/injection.test.ts' },
  },
  {
    id: 'error-with-invisible',
    rule: 'No error repeats characters that nobody sees.',
    file: 'src/kernel/errors.ts',
    find: 'super(showSentence(toVisible(message)), ',
    put: 'super(showSentence(message), ',
    test: { file: 'tests/kernel/invisible.test.ts', title: 'an error repeats' },
  },
]
