import * as s from '../wiki/storage.ts'
import { guidePages } from './guides.ts'
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
  ...guidePages,
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
