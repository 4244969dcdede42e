import { toCsv } from '../files/csv.ts'
import { toDocx, toXlsx } from '../files/office.ts'
import * as s from '../wiki/storage.ts'
import type { PageSpec } from './page.ts'
import { CLOSED } from './slips-engineering.ts'
import { people, secrets } from './values.ts'

const text =
  (...lines: string[]) =>
  () =>
    Buffer.from(`${lines.join('\n')}\n`)

/** Pages of operations that hold what should not be there. */
export const operationsSlips: readonly PageSpec[] = [
  {
    slug: 'ops-stock-database',
    space: 'OPS',
    parent: 'ops-runbook-burrow',
    title: 'Looking into the stock database',
    edited: 29,
    author: 2,
    body: [
      s.text(
        'For questions that the movement list does not answer. Read only, please; a person once booked four thousand tents this way.',
      ),
      s.code('bash', `psql "postgres://stock_reader:${secrets.stockPassword}@stock-db-2.larkmoor.internal:5432/stock"`),
      s.text('Useful first queries:'),
      s.code('sql', "SELECT bay, sum(pieces) FROM movement WHERE article = 'TNT-3-GRN' GROUP BY bay;"),
    ].join(''),
  },
  {
    slug: 'ops-till-certificates',
    space: 'OPS',
    parent: 'ops-runbook-bothy',
    title: 'Certificates of the tills',
    edited: 84,
    author: 5,
    body: [
      s.text('Each till proves who it is with a certificate. Certificates end after a year, always on a Saturday.'),
      s.steps(
        'Order the new one in the portal.',
        'Copy it to the till over night.',
        'Check in the morning that the till has a green corner.',
      ),
      s.expand('Key of the old till gateway, needed for the three tills in Tromsø', s.noformat(secrets.privateKey)),
    ].join(''),
  },
  {
    slug: 'ops-hotfix',
    space: 'OPS',
    title: 'Deploying from a laptop',
    edited: 110,
    author: 1,
    labels: ['emergency'],
    body: [
      s.warning(s.text('Only when the build server is down and the shop is, too.')),
      s.code(
        'bash',
        `export GITHUB_TOKEN=${secrets.githubToken}`,
        'larkctl deploy --from-laptop --reason "$REASON"',
        `curl -u "deploy:${secrets.artifactPassword}" https://artifacts.larkmoor.example/shop/latest.zip -o shop.zip`,
      ),
      s.text('Write down what you did while you do it. You will be asked, and you will have forgotten.'),
      s.paragraph(`Afterwards follow ${s.pageLink('Cleaning up after a hotfix')}.`),
    ].join(''),
    comments: [{ body: s.text('The build server has been up for two years, can we remove this page?') }],
  },
  {
    slug: 'ops-account-register',
    space: 'OPS',
    title: 'Register of shared accounts',
    edited: 72,
    author: 6,
    labels: ['to-be-retired'],
    body: [
      s.text('Accounts that more than one person uses. The list gets shorter every month.'),
      s.table([
        ['Account', 'Used for', 'Password'],
        ['print-north', 'label printers in hall north', secrets.registerPasswords[0]],
        ['print-south', 'label printers in hall south', secrets.registerPasswords[1]],
        ['screen', 'screens at the packing line', secrets.registerPasswords[2]],
        ['kiosk', 'retired in spring', '<removed>'],
      ]),
      s.text('New lines are not added. Ask for an account of your own instead.'),
    ].join(''),
  },
  {
    slug: 'ops-carrier-sandbox',
    space: 'OPS',
    parent: 'ops-runbook-ferry',
    title: 'Carrier test systems',
    edited: 37,
    author: 3,
    body: [
      s.text('All carriers have a test system. Two of them behave like the real one.'),
      s.table([
        ['Carrier', 'Behaves like the real one'],
        ['Alpine Parcel', 'yes'],
        ['Fjordpost', 'until four in the afternoon'],
        ['Valley Couriers', 'no'],
      ]),
      s.paragraph(
        `${s.attachmentLink('ferry-debug.log')} shows a complete exchange. The carriers' own pages are ${s.webLink(`${CLOSED}/carriers/fjordpost`, 'here')}.`,
      ),
    ].join(''),
    comments: [
      {
        body: s.text('Is there an account for Fjordpost, or does everybody register?'),
        replies: [
          {
            body: s.text('One for all of us.'),
            replies: [{ body: s.text(`User larkmoor-test, password: ${secrets.carrierPassword}`) }],
          },
        ],
      },
    ],
    files: [
      {
        filename: 'ferry-debug.log',
        mediaType: 'text/plain',
        bytes: text(
          'ts=07:14:02 level=debug op=quote carrier=fjordpost parcel=NO-88213',
          `ts=07:14:02 level=debug sent X-Session: ${secrets.sessionJwt}`,
          'ts=07:14:03 level=debug received status=200 price=61.40 currency=NOK',
          'ts=07:14:03 level=info op=quote carrier=fjordpost took=912ms outcome=chosen',
        ),
      },
    ],
  },
  {
    slug: 'ops-office-network',
    space: 'OPS',
    title: 'Network in Thornby',
    edited: 89,
    author: 4,
    body: [
      s.text(
        'Offices and halls have networks of their own. Guests get a third one that reaches nothing but the world.',
      ),
      s.table([
        ['What', 'Address'],
        ['Gateway of the offices', people.officeAddresses[0]],
        ['Door controller, hall south', people.officeAddresses[1]],
        ['Outside, as partners see us', people.officeAddresses[2]],
        ['In examples', '198.51.100.7'],
      ]),
      s.paragraph(`Drawing: ${s.attachmentLink('thornby-network.vsdx', 'network drawing')}.`),
    ].join(''),
  },
  {
    slug: 'ops-handover-north',
    space: 'OPS',
    title: 'Handover of the northern warehouse systems',
    edited: 53,
    author: 9,
    body: [
      s.text('The northern hall was run by a partner until last year. What they left us is in the document.'),
      s.paragraph(s.attachmentLink('handover-notes.docx')),
      s.paragraph(
        `Open points are in ${s.pageLink('Open points, northern hall')}; the old site is ${s.webLink(`${CLOSED}/north/index.html`, 'switched off')}.`,
      ),
    ].join(''),
    files: [
      {
        filename: 'handover-notes.docx',
        mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
        bytes: () =>
          toDocx([
            { heading: 'Handover notes' },
            'The conveyor control talks to the stock database through an old driver. It must not be updated before the season.',
            `Connection: Server=tcp:north-sql.larkmoor.internal,1433;Database=conveyor;User ID=conveyor;Password=${secrets.legacyPassword};Encrypt=true`,
            { heading: 'People' },
            {
              table: [
                ['Topic', 'Ask'],
                ['Conveyor', 'the electrician on shift'],
                ['Scanners', 'the shift lead'],
              ],
            },
          ]),
      },
    ],
  },
  {
    slug: 'ops-till-accounts',
    space: 'OPS',
    title: 'Accounts on the training tills',
    edited: 44,
    author: 7,
    body: [
      s.text('Three tills in Thornby are for practice. They book nothing and forgive everything.'),
      s.paragraph(`${s.attachmentLink('training-tills.csv')} lists who may sign in where.`),
    ].join(''),
    files: [
      {
        filename: 'training-tills.csv',
        mediaType: 'text/csv',
        bytes: () =>
          toCsv([
            ['till', 'user', 'password'],
            ['training-1', 'trainer', secrets.tillPasswords[0]],
            ['training-2', 'trainer', secrets.tillPasswords[1]],
            ['training-3', 'supervisor', secrets.tillPasswords[2]],
          ]),
      },
    ],
  },
  {
    slug: 'ops-forecast',
    space: 'OPS',
    parent: 'ops-capacity',
    title: 'How the winter forecast is made',
    edited: 26,
    author: 9,
    body: [
      s.text(
        'The forecast multiplies last winter by the number of frost days that the weather desk expects, then by what the buyers feel.',
      ),
      s.list(
        'Feelings are limited to a fifth in either direction.',
        'Islands are counted twice.',
        'The sheet is frozen on the first of November.',
      ),
      s.paragraph(
        `The method in full: ${s.webLink('https://files.larkmoor.example/forecast/method.pdf', 'method.pdf')}, the figures: ${s.attachmentLink('winter-forecast.xlsx')}.`,
      ),
    ].join(''),
    files: [
      {
        filename: 'winter-forecast.xlsx',
        mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        bytes: () =>
          toXlsx({
            Orders: [
              ['Week', 'Low', 'Expected', 'High'],
              [45, 8100, 9400, 11000],
              [46, 8900, 10300, 12400],
              [47, 11800, 14600, 18200],
              [48, 15200, 19100, 24000],
            ],
          }),
      },
    ],
  },
  {
    slug: 'ops-checklist-a',
    space: 'OPS',
    title: 'Checklist before the season, hall north',
    edited: 21,
    author: 0,
    body: [
      s.text(
        'To be walked through by the shift lead and one engineer in the first week of November, with the printed plan in hand.',
      ),
      s.steps(
        'Every scanner is charged and counted.',
        'The spare conveyor motor is where the plan says.',
        'Label rolls for three weeks stand in the dry corner.',
        'The night phone list is on the door and on the screen.',
        'Both lorries for the second line have been ordered.',
      ),
      s.text(
        'What is missing goes into the open list on the same day, with a name and a date. Nothing is carried over by word of mouth.',
      ),
    ].join(''),
  },
  {
    slug: 'ops-checklist-b',
    space: 'OPS',
    title: 'Checklist before the season, hall south',
    edited: 20,
    author: 0,
    body: [
      s.text(
        'To be walked through by the shift lead and one engineer in the first week of November, with the printed plan in hand.',
      ),
      s.steps(
        'Every scanner is charged and counted.',
        'The spare conveyor motor is where the plan says.',
        'Label rolls for three weeks stand in the dry corner.',
        'The night phone list is on the door and on the screen.',
        'Both lorries for the second line have been ordered.',
      ),
      s.text(
        'What is missing goes into the open list on the same day, with a name and a date. Nothing is carried over by word of mouth.',
      ),
    ].join(''),
  },
  {
    slug: 'ops-fax',
    space: 'OPS',
    title: 'The fax line for customs',
    edited: '2019-11-05',
    author: 3,
    body: [
      s.text('Customs in two harbours still want a paper. The fax is in the room behind the front desk.'),
      s.text('Send one page at a time and wait for the tone. The current rates as of 2019 hang above the machine.'),
    ].join(''),
  },
]
