import * as s from '../wiki/storage.ts'
import { moreServices } from './more-services.ts'
import { type PageSpec, toAccountId } from './page.ts'
import { type Service, services } from './services.ts'

export const allServices: readonly Service[] = [...services, ...moreServices]
export const toSlug = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

/** Several ways of laying out the same facts, so that no two owners' pages look alike. */
const servicePages: readonly ((service: Service, author: number) => string)[] = [
  (service, author) =>
    [
      s.toc(),
      s.text(service.purpose),
      s.heading('At a glance'),
      s.table([
        ['Question', 'Answer'],
        ['Written in', service.language],
        ['Keeps its data in', service.storage],
        ['Looked after by', service.owner],
      ]),
      s.heading('Things worth knowing'),
      s.list(...service.traits),
      s.heading('Neighbours'),
      s.bullets(
        ...service.talksTo.map((other) => `${s.pageLink(other)} is asked or told something with every request.`),
      ),
      s.info(
        s.paragraph(`${s.escapeText(`Questions about ${service.name} go to`)} ${s.userLink(toAccountId(author))}.`),
      ),
    ].join(''),
  (service) =>
    [
      s.info(s.text(`${service.name} is our ${service.role}. The ${lower(service.owner)} answers for it.`)),
      s.heading('What it is for'),
      s.text(service.purpose),
      s.heading('What makes it different'),
      s.text(...service.traits),
      s.heading('Under the hood'),
      s.text(`It is written in ${service.language}. For storage it uses the following: ${lower(service.storage)}.`),
      s.paragraph(
        `When it breaks, start with ${s.pageLink(`Runbook: ${service.name}`, { space: 'OPS', label: 'the runbook' })}; why it is built this way stands in ${s.pageLink(service.decision.title, { label: 'the decision record' })}.`,
      ),
    ].join(''),
  (service) =>
    [
      s.text(service.purpose),
      s.expand(
        'Who owns it and what it is made of',
        s.list(`Owner: ${service.owner}`, `Language: ${service.language}`, `Storage: ${service.storage}`),
      ),
      s.heading('Behaviour that surprises newcomers'),
      s.steps(...service.traits),
      s.heading('Known weak spot'),
      s.note(s.text(service.failure, service.symptom)),
      s.paragraph(`Depends on ${service.talksTo.map((other) => s.pageLink(other)).join(', ')}.`),
    ].join(''),
]

const decisionPages: readonly ((service: Service) => string)[] = [
  ({ name, decision }) =>
    [
      s.paragraph(`${s.status('ACCEPTED', 'Green')} Concerns ${s.pageLink(name)}.`),
      s.heading('Context'),
      s.text(decision.context),
      s.heading('Decision'),
      s.text(decision.choice),
      s.heading('Consequences'),
      s.text(decision.consequence),
      s.heading('Considered and left'),
      s.text(decision.rejected),
    ].join(''),
  ({ name, decision, owner }) =>
    [
      s.table([
        ['Status', 'System', 'Proposed by'],
        ['accepted', name, owner],
      ]),
      s.text(`The question: ${lower(decision.context)}`),
      s.info(s.text(decision.choice)),
      s.text(`What follows from it: ${lower(decision.consequence)}`),
      s.text(`We did not take this road: ${lower(decision.rejected)}`),
    ].join(''),
]

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

const meetings: readonly (readonly [
  slug: string,
  title: string,
  edited: number,
  notes: readonly string[],
  todo: readonly (readonly [string, boolean])[],
])[] = [
  [
    'eng-arch-circle-1',
    'Architecture circle: tariffs at the edge',
    26,
    [
      'Ferry spends half of its time on tariffs that did not change since the night. We want them next to the packing line.',
      'Marek showed that a table of all tariffs for one carrier is 40 kilobytes, small enough to be copied anywhere.',
      'Open question: who notices when a copy is old? Proposal is a date inside the table and a refusal after two days.',
    ],
    [
      ['Try it with one carrier in Thornby', true],
      ['Measure the time from box to label', false],
    ],
  ],
  [
    'eng-arch-circle-2',
    'Architecture circle: one basket or two',
    54,
    [
      'The app and the shop keep baskets of their own. Customers lose things when they change devices.',
      'Merging on sign-in is easy for different articles and hard for quantities. We keep the larger one and say so on the screen.',
      'Nia will write the decision record once three weeks of figures are in.',
    ],
    [
      ['Count merged baskets per day', true],
      ['Draft the decision record', false],
    ],
  ],
  [
    'eng-arch-circle-3',
    'Architecture circle: leaving the old report server',
    83,
    [
      'Eleven reports are still made by the server under the stairs. Seven have no known reader.',
      'We turn off the seven for a month and wait. The other four move to the data platform before the stocktake.',
      'The server has no spare disk that fits; that settles the date.',
    ],
    [
      ['Announce the silent month', true],
      ['Move the customs report', true],
      ['Return the server', false],
    ],
  ],
  [
    'eng-retro-autumn',
    'Looking back: the autumn sale',
    40,
    [
      'Went well: confirmations stayed below four minutes all weekend, and nobody had to scale anything by hand.',
      'Went badly: the banner promised free repair for jackets that we do not repair. Care answered three hundred letters.',
      'We try next: one person from the workshop reads every banner before it is booked.',
    ],
    [['Add the workshop to the banner checklist', false]],
  ],
]

export const engineeringPages: readonly PageSpec[] = [
  {
    slug: 'eng-home',
    space: 'ENG',
    title: 'Engineering',
    edited: 12,
    author: 0,
    body: [
      s.text(
        'Welcome to the engineering space of Larkmoor Outfitters. Twelve systems, six teams, one warehouse that never sleeps.',
      ),
      s.heading('Where to start'),
      s.bullets(
        `${s.pageLink('Local development setup')} on your first day`,
        `${s.pageLink('How we review code')} on your second`,
        `${s.pageLink('Release trains')} before your first change goes out`,
      ),
      s.heading('Our systems'),
      s.bullets(...allServices.map(({ name, role }) => `${s.pageLink(name)}: ${s.escapeText(role)}`)),
      s.children(),
    ].join(''),
  },
  ...allServices.map((service, index): PageSpec => {
    const write = servicePages[index % servicePages.length]
    return {
      slug: `eng-service-${service.name.toLowerCase()}`,
      space: 'ENG',
      title: service.name,
      labels: ['service', toSlug(service.owner)],
      edited: 5 + index * 11,
      author: index,
      body: write?.(service, index) ?? '',
      comments: [
        {
          body: s.text(`Thank you, this answered what I had asked the ${lower(service.owner)} twice already.`),
          replies:
            index % 3 === 0
              ? [
                  {
                    body: s.text('Glad it helps. The picture is missing still, I have not forgotten it.'),
                    replies: [{ body: s.text('No hurry, the words are enough.') }],
                  },
                ]
              : [],
        },
      ],
    }
  }),
  ...allServices.map((service, index): PageSpec => {
    const write = decisionPages[index % decisionPages.length]
    return {
      slug: `eng-decision-${service.name.toLowerCase()}`,
      space: 'ENG',
      parent: `eng-service-${service.name.toLowerCase()}`,
      title: service.decision.title,
      labels: ['decision'],
      edited: 30 + index * 17,
      author: index + 2,
      body: write?.(service) ?? '',
    }
  }),
  ...guides.map((guide): PageSpec => ({ ...guide, space: 'ENG' })),
  ...meetings.map(
    ([slug, title, edited, notes, todo], index): PageSpec => ({
      slug,
      space: 'ENG',
      title,
      labels: ['meeting-notes'],
      edited,
      author: index + 4,
      body: [s.heading('Notes'), s.text(...notes), s.heading('To do'), s.tasks(...todo)].join(''),
    }),
  ),
]
