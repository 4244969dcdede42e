import * as s from '../wiki/storage.ts'
import { allServices } from './engineering.ts'
import { type PageSpec, toPageId } from './page.ts'
import type { Service } from './services.ts'

const runbooks: readonly ((service: Service) => string)[] = [
  ({ name, failure, symptom, remedy, command, alert }) =>
    [
      s.warning(s.text(failure)),
      s.heading('How you notice'),
      s.text(symptom, `The alert "${alert.name}" fires on ${alert.condition}.`),
      s.heading('What to do'),
      s.steps(...remedy),
      s.code('bash', command),
      s.paragraph(`Background: ${s.pageLink(name, { space: 'ENG' })}.`),
    ].join(''),
  ({ name, failure, symptom, remedy, command, owner }) =>
    [
      s.text(`You are here because something about ${name} looks wrong. Breathe, then read on.`),
      s.table([
        ['What people say', 'What it usually is'],
        [symptom, failure],
      ]),
      s.steps(...remedy),
      s.noformat(`$ ${command}`),
      s.text(`Still broken after half an hour: wake the ${owner.toLowerCase()}.`),
    ].join(''),
  ({ failure, symptom, remedy, command, alert }) =>
    [
      s.heading('Symptom'),
      s.text(symptom),
      s.heading('Likely cause'),
      s.text(failure),
      s.expand('Step by step', s.steps(...remedy)),
      s.text('The command that you will need:'),
      s.code('bash', command),
      s.note(s.text(alert.meaning)),
    ].join(''),
]

const reviews: readonly (readonly [
  slug: string,
  title: string,
  edited: number,
  story: readonly string[],
  lessons: readonly string[],
])[] = [
  [
    'ops-review-keys',
    'Review: the hour without sign-in',
    70,
    [
      'At 06:12 the vault began a planned restart. Two minutes later Gate asked for fresh keys and was refused.',
      'Calls failed from 06:17, when the last cached key ran out. The on-call engineer saw it at 06:19 and reached for the emergency switch, which wants a second person.',
      'The second person was on a train in a tunnel. Keys were extended at 07:04.',
    ],
    [
      'Two people are now named per week, in different places.',
      'The vault announces a restart and waits for every client to have fetched keys.',
    ],
  ],
  [
    'ops-review-labels',
    'Review: eleven thousand rejected labels',
    102,
    [
      'Alpine Parcel moved the postcode two millimetres to the left on a Sunday evening.',
      'The packing line stopped at 05:40 on Monday. It took fifty minutes until someone held an old label next to a new one.',
      'Parcels left with other carriers at a surcharge, and customers noticed nothing but a different van.',
    ],
    [
      'A test label is printed for each carrier at four in the morning.',
      'Format changes are part of the carrier contract from next year.',
    ],
  ],
  [
    'ops-review-sale',
    'Review: slow baskets on the first day of the sale',
    45,
    [
      'The payment provider answered in nine seconds instead of one. Nothing was wrong on our side, and everything felt wrong to customers.',
      'We lowered the number of authorisations in flight after twenty minutes, which should have been the first step.',
    ],
    ['The runbook starts with the provider board.', 'The limit lowers itself when the provider is slow.'],
  ],
  [
    'ops-review-index',
    'Review: a jacket that nobody could find',
    133,
    [
      'The index was thirty-one hours old because two synonyms pointed at each other. The build had no limit and said nothing.',
      'A buyer noticed when the new season was not to be found, eight hours after the launch mail.',
    ],
    [
      'Builds that take more than two hours stop and call somebody.',
      'Lists with circles are refused when they are uploaded.',
    ],
  ],
  [
    'ops-review-clock',
    'Review: receipts from tomorrow',
    160,
    [
      'One till in Llanberis was a day ahead after its battery had died. Its receipts were booked on a day that was not open yet.',
      'Finance found them a week later, by adding up.',
    ],
    [
      'The centre refuses receipts from the future and tells the store.',
      'Batteries are changed with every second stocktake.',
    ],
  ],
]

const howTos: readonly Omit<PageSpec, 'space'>[] = [
  {
    slug: 'ops-on-call',
    title: 'On-call and conductors',
    edited: 3,
    author: 4,
    labels: ['on-call'],
    body: [
      s.text('One engineer per team carries the phone for a week, from Wednesday noon to Wednesday noon.'),
      s.table([
        ['Week', 'Platform', 'Supply', 'Conductor'],
        ['45', 'Callum', 'Sanna', 'Ottilie'],
        ['46', 'Marek', 'Hugo', 'Rohan'],
        ['47', 'Femi', 'Sanna', 'Greta'],
        ['48', 'Callum', 'Nia', 'Ottilie'],
      ]),
      s.heading('Handing over'),
      s.list(
        'What is still open, in three sentences at most.',
        'What you changed by hand and did not write down yet.',
        'One thing that should be quieter next week.',
      ),
    ].join(''),
  },
  {
    slug: 'ops-backups',
    title: 'Backups and what they are worth',
    edited: 22,
    author: 3,
    body: [
      s.text('A backup that was never restored is a hope. We restore one database a week, picked by dice.'),
      s.table([
        ['System', 'Kept for', 'Last restored'],
        ['Cairn', '35 days', 'week 44'],
        ['Tarn', '35 days', 'week 41'],
        ['Ledger', '10 years', 'week 43'],
      ]),
      s.paragraph(
        `The restore steps are in ${s.pageLink('Restoring a database from the night copy', { label: 'the restore guide' })}.`,
      ),
    ].join(''),
  },
  {
    slug: 'ops-access',
    title: 'Getting access to things',
    edited: 18,
    author: 6,
    labels: ['guide'],
    body: [
      s.text(
        'Access is asked for in the portal, granted by the owner of the system, and ends by itself after ninety days.',
      ),
      s.steps(
        'Find the system in the portal.',
        'Choose the smallest role that lets you do your work.',
        'Say in one sentence what for; the owner reads it.',
      ),
      s.info(s.text('Shared accounts are being retired. If you still use one, tell the platform team which and why.')),
    ].join(''),
  },
  {
    slug: 'ops-maintenance',
    title: 'Maintenance windows',
    edited: 51,
    author: 8,
    body: [
      s.anchor('windows'),
      s.text(
        'Stores close at eight, the warehouse never does. Windows are therefore short and different for each system.',
      ),
      s.table([
        ['System', 'Window', 'Notice'],
        ['Tills', 'Monday 21:00 to 23:00', 'two weeks'],
        ['Warehouse', 'Sunday 03:00 to 03:20', 'four weeks, signed by the shift lead'],
        ['Shop', 'none; changes roll', 'none'],
      ]),
    ].join(''),
  },
  {
    slug: 'ops-capacity',
    title: 'Capacity for the winter season',
    edited: 28,
    author: 9,
    labels: ['planning'],
    body: [
      s.text(
        'Orders triple between the first frost and the last posting day. We plan for four times an October Tuesday.',
      ),
      s.list(
        'Web nodes from 12 to 30, from the second week of November.',
        'A second packing line, which doubles what Ferry has to print.',
        'Mail volume stays the same: the season has fewer letters, not more.',
      ),
      s.paragraph(`Assumptions and figures: ${s.attachmentLink('winter-forecast.csv', 'winter-forecast.csv')}.`),
    ].join(''),
  },
]

export const operationsPages: readonly PageSpec[] = [
  {
    slug: 'ops-home',
    space: 'OPS',
    title: 'Operations',
    edited: 6,
    author: 4,
    body: [
      s.text('What to do when it is dark and something beeps. Pages here are short on purpose.'),
      s.heading('In a hurry'),
      s.bullets(...allServices.slice(0, 6).map(({ name }) => s.pageLink(`Runbook: ${name}`))),
      s.paragraph(
        `New here? Start in ${s.webLink(`/wiki/spaces/ENG/pages/${toPageId('eng-home')}/Engineering`, 'Engineering')} or with ${s.webLink(`/wiki/pages/viewpage.action?pageId=${toPageId('people-start-engineer')}`, 'your first week')}.`,
      ),
      s.heading('With time'),
      s.bullets(
        s.pageLink('On-call and conductors'),
        s.pageLink('Backups and what they are worth'),
        s.pageLink('Getting access to things'),
      ),
    ].join(''),
  },
  ...allServices.map((service, index): PageSpec => {
    const write = runbooks[index % runbooks.length]
    return {
      slug: `ops-runbook-${service.name.toLowerCase()}`,
      space: 'OPS',
      title: `Runbook: ${service.name}`,
      labels: ['runbook'],
      edited: 8 + index * 9,
      author: index + 1,
      body: write?.(service) ?? '',
      comments:
        index % 2 === 0
          ? [
              {
                kind: 'inline',
                selection: service.remedy.slice(0, 1).join(' ').slice(0, 40),
                resolution: index % 4 === 0 ? 'resolved' : 'open',
                body: s.text('Does this step still apply since the last release?'),
                replies: [{ body: s.text('Yes, checked it with the team this week.') }],
              },
            ]
          : [],
    }
  }),
  ...allServices.map(
    (service, index): PageSpec => ({
      slug: `ops-alert-${service.name.toLowerCase()}`,
      space: 'OPS',
      parent: `ops-runbook-${service.name.toLowerCase()}`,
      title: `Alert: ${service.alert.name}`,
      labels: ['alert'],
      edited: 14 + index * 13,
      author: index + 5,
      body: [
        s.table([
          ['System', 'Fires on'],
          [service.name, service.alert.condition],
        ]),
        s.heading('Why it matters'),
        s.text(service.alert.meaning),
        s.paragraph(
          `Answered with ${s.pageLink(`Runbook: ${service.name}`)}; the ${s.escapeText(service.owner.toLowerCase())} tunes the threshold.`,
        ),
      ].join(''),
    }),
  ),
  ...reviews.map(
    ([slug, title, edited, story, lessons], index): PageSpec => ({
      slug,
      space: 'OPS',
      title,
      labels: ['incident-review'],
      edited,
      author: index + 3,
      body: [s.heading('What happened'), s.text(...story), s.heading('What we changed'), s.list(...lessons)].join(''),
      comments: [{ body: s.text('Good read. The part about what felt wrong to customers should be in every review.') }],
    }),
  ),
  ...howTos.map((page): PageSpec => ({ ...page, space: 'OPS' })),
]
