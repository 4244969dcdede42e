import * as s from '../wiki/storage.ts'
import type { PageSpec } from './page.ts'

const guides: readonly Omit<PageSpec, 'space' | 'parent'>[] = [
  {
    slug: 'eng-code-review',
    title: 'How we review code',
    edited: 34,
    author: 1,
    labels: ['guide'],
    body: [
      s.text(
        'A review answers two questions: would I find my way around this in a year, and what happens when it fails at night.',
      ),
      s.heading('Before you ask'),
      s.list(
        'Read your own change from top to bottom once, in the view the reviewer will have.',
        'Say in the description what you tried and dropped; it saves the reviewer from proposing it.',
        'Keep moves and changes of behaviour in separate commits.',
      ),
      s.heading('While you review'),
      s.list(
        'Start with the tests. If you cannot tell from them what changed, say so and stop.',
        'Mark remarks as "must", "should" or "taste"; taste never blocks.',
        'Four hundred lines are enough for one sitting.',
      ),
      s.paragraph(`Style questions are settled by the formatter, see ${s.pageLink('Formatting and linting')}.`),
    ].join(''),
  },
  {
    slug: 'eng-formatting',
    title: 'Formatting and linting',
    edited: 120,
    author: 3,
    body: [
      s.text('Tools decide about spaces and commas so that people do not have to.'),
      s.table([
        ['Language', 'Formatter', 'Linter'],
        ['Kotlin', 'ktlint', 'detekt'],
        ['Go', 'gofmt', 'staticcheck'],
        ['Rust', 'rustfmt', 'clippy'],
        ['Python', 'ruff format', 'ruff'],
      ]),
      s.text(
        'The build refuses a change that the formatter would alter. There is no list of exceptions, and asking for one costs a cake.',
      ),
    ].join(''),
  },
  {
    slug: 'eng-flags',
    title: 'Feature flags',
    edited: 61,
    author: 5,
    labels: ['guide'],
    body: [
      s.text('A flag is a loan: it buys time now and is paid back by removing it.'),
      s.heading('Rules'),
      s.list(
        'Every flag has an owner and a last day; on that day the build turns yellow.',
        'A flag has two states. Anything richer is configuration and belongs elsewhere.',
        'Flags are read once per request and passed down, never looked up in the middle of a calculation.',
      ),
      s.heading('Removing one'),
      s.steps(
        'Make the wanted branch the only one.',
        'Delete the other and its tests.',
        'Delete the flag itself a week later.',
      ),
      s.code('kotlin', 'if (flags.isOn("frozen-prices")) {', '  basket.freezePrices(Duration.ofMinutes(15))', '}'),
    ].join(''),
  },
  {
    slug: 'eng-migrations',
    title: 'Changing database tables',
    edited: 88,
    author: 2,
    body: [
      s.text('Old and new releases run side by side for up to an hour. A table change has to be right for both.'),
      s.heading('The four steps'),
      s.steps(
        'Add what is new, empty and optional.',
        'Write old and new, read old.',
        'Fill in the past in batches of five thousand rows, outside business hours.',
        'Read new, then remove old in the following release.',
      ),
      s.warning(s.text('Renaming a column in one step has taken the shop down twice. Both times it was a Friday.')),
      s.code(
        'sql',
        'ALTER TABLE parcel ADD COLUMN promised_on date;',
        '-- backfill runs from the job table, see job 212',
      ),
    ].join(''),
  },
  {
    slug: 'eng-logging',
    title: 'What belongs in a log line',
    edited: 47,
    author: 7,
    labels: ['guide', 'observability'],
    body: [
      s.text('A log line is read by someone tired. It says what was attempted, on what, and how it ended.'),
      s.list(
        'One line per attempt, at its end, with a duration.',
        'Identifiers yes, contents no: an order number is fine, an address is not.',
        'The level "error" wakes somebody. If nobody needs to get up, it is a warning.',
      ),
      s.code('text', 'level=info op=reserve order=UK-4471902 bay=C-17-04 took=38ms outcome=reserved'),
      s.paragraph(`Figures about logs are on the ${s.pageLink('Log volume by service', { label: 'volume page' })}.`),
    ].join(''),
  },
  {
    slug: 'eng-testing',
    title: 'Tests we like',
    edited: 15,
    author: 8,
    labels: ['guide'],
    body: [
      s.text('We test what a colleague would notice, through the doors that a colleague would use.'),
      s.heading('Shape of a suite'),
      s.list(
        'Many small tests on rules that have cases: tariffs, feathers, tax.',
        'A few that start the real service against a real database.',
        'One walk through the shop per release, watched by a human.',
      ),
      s.heading('Smells'),
      s.list(
        'A test that repeats the code in other words.',
        'A double for something that is cheap to run for real.',
        'A name with "and" in it.',
      ),
      s.tasks(['Move the tariff cases into a table', true], ['Retire the recorded carrier replies', false]),
    ].join(''),
  },
  {
    slug: 'eng-releases',
    title: 'Release trains',
    edited: 9,
    author: 4,
    body: [
      s.text('A train leaves every Tuesday and Thursday at ten. What is on the platform goes, what is not waits.'),
      s.table([
        ['Time', 'What happens', 'Who'],
        ['09:00', 'The list of changes is read aloud', 'Train conductor'],
        ['10:00', 'Ten percent of web nodes', 'Automatic'],
        ['10:20', 'All nodes, unless somebody pulls the cord', 'Automatic'],
        ['11:00', 'Conductor writes two sentences in the channel', 'Train conductor'],
      ]),
      s.text(
        'Pulling the cord needs no reason and is never criticised. The train after next carries the change again.',
      ),
      s.paragraph(`Conductors are listed in the ${s.pageLink('On-call and conductors', { space: 'OPS' })} calendar.`),
    ].join(''),
  },
  {
    slug: 'eng-glossary',
    title: 'Words we use',
    edited: 200,
    author: 6,
    body: [
      s.table([
        ['Word', 'Meaning'],
        ['Bay', 'One place in a shelf, such as C-17-04'],
        ['Feather', 'A point of the club'],
        ['Wave', 'All orders that are picked in one round'],
        ['Stamp', 'The mark that the figures of a day are final'],
        ['Train', 'A scheduled release'],
      ]),
      s.text('Words that mean two things in two teams are listed here until one team gives in.'),
    ].join(''),
  },
]

export const guidePages: readonly PageSpec[] = guides.map((guide) => ({ ...guide, space: 'ENG' }))
