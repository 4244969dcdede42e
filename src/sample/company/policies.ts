import * as s from '../wiki/storage.ts'
import type { PageSpec } from './page.ts'

type Row = readonly [
  slug: string,
  title: string,
  edited: number,
  lead: string,
  rules: readonly string[],
  closing: string,
]

const policies: readonly Row[] = [
  [
    'people-holidays',
    'Holidays',
    20,
    'Everyone has thirty days a year, whatever the contract says about hours.',
    [
      'Ask your lead four weeks ahead, eight in the winter season.',
      'Five days may move into the next year, until the end of March.',
      'Illness during a holiday gives the days back; send the note when you return.',
    ],
    'Between Christmas and the stocktake the warehouse decides by lot, and lots may be swapped.',
  ],
  [
    'people-remote',
    'Working from elsewhere',
    33,
    'Desk work can be done anywhere with a door that closes.',
    [
      'Agree with your team which two days are spent together.',
      'Up to forty days a year may be spent abroad, after a word with payroll.',
      'Screens and chairs are lent out, with a form and a smile.',
    ],
    'Store and warehouse teams have other rules, because boots cannot be handed over by video.',
  ],
  [
    'people-travel',
    'Travelling for work',
    47,
    'Trains first, planes if the train takes more than nine hours.',
    [
      'Book through the travel desk, which knows the fares.',
      'Hotels up to the limit of the city list need no approval.',
      'Meals are paid as a flat sum, receipts are not collected.',
    ],
    'Trips to suppliers outside Europe need a second signature and a look at the insurance page.',
  ],
  [
    'people-expenses',
    'Paying something in advance',
    12,
    'Small things may be bought and claimed; large ones are ordered.',
    [
      'Small is below one hundred and fifty.',
      'Photograph the receipt on the same day, paper fades.',
      'Claims handed in by the twentieth are paid with that month.',
    ],
    'Software is never bought with a private card, not even when it is cheap.',
  ],
  [
    'people-parental',
    'Becoming a parent',
    75,
    'Tell us when you like; nothing is expected of you before the law says so.',
    [
      'Both parents may take six months on most of their pay.',
      'Coming back in steps is normal: two days, then three, then what you agreed.',
      'Your place in the rota is kept, your desk plant is watered.',
    ],
    'Talk to any of the workplace team, not only to your own lead.',
  ],
  [
    'people-learning',
    'Learning budget',
    64,
    'Twelve hundred a year for each of us, to be spent on getting better at something.',
    [
      'Conferences, courses and books count, and so does a mountain first aid week.',
      'Share one page afterwards with whoever might care.',
      'What is left at the end of the year goes into the library.',
    ],
    'The library is the shelf behind the coffee machine in Thornby; help yourself.',
  ],
  [
    'people-sick',
    'When you are ill',
    90,
    'Stay at home and get well; a message before your shift is all we ask.',
    [
      'From the fourth day a note from a doctor is needed.',
      'A sick child counts as if it were you, for ten days a year.',
      'Nobody reads mail in bed.',
    ],
    'Longer illness ends with a plan for coming back, written together.',
  ],
  [
    'people-bikes',
    'Bikes and trains',
    140,
    'The company adds a third to a season ticket or to a leased bicycle.',
    [
      'The lease runs three years and ends with a fair price.',
      'Lockers in Thornby have sockets and a drying rail.',
      'Helmets from the returns shelf are free.',
    ],
    'Parking is for car pools of three and for early shifts.',
  ],
  [
    'people-feedback',
    'Talking about work, twice a year',
    58,
    'Two hours, two people, no form.',
    [
      'Both write half a page before and swap it.',
      'Pay is talked about separately, in spring.',
      'What was agreed goes into three lines that both can read.',
    ],
    'Anyone may bring a third person, in either role.',
  ],
  [
    'people-conduct',
    'How we treat each other',
    110,
    'We sell to people who trust us with their safety; we treat each other the same way.',
    [
      'Interrupting is for fires.',
      'A joke that needs a target is not one.',
      'Say it to the person first, to their lead second, to everyone never.',
    ],
    'Two people of trust outside the hierarchy listen to whatever you bring, and tell nobody.',
  ],
  [
    'people-volunteer',
    'Two days for the hills',
    99,
    'Two paid days a year may be given to mountain rescue, path building or the animal shelter.',
    [
      'Put them into the rota like a holiday.',
      'Groups from one team are welcome and get a van.',
      'Pictures for the noticeboard, please, mud included.',
    ],
    'Rescue call-outs come on top and are never counted.',
  ],
  [
    'people-discount',
    'Staff discount',
    26,
    'Forty percent on everything, sixty on what you will wear at work.',
    [
      'For you and those you live with, not for the whole valley.',
      'Repairs are free, stand in line like everybody else.',
      'Buying to sell again ends the discount, and the conversation is short.',
    ],
    'The discount works at every till and in the shop with your staff number.',
  ],
]

const layouts: readonly ((row: Row) => string)[] = [
  ([, , , lead, rules, closing]) =>
    [s.text(lead), s.heading('What that means'), s.list(...rules), s.text(closing)].join(''),
  ([, , , lead, rules, closing]) =>
    [s.info(s.text(lead)), s.steps(...rules), s.heading('Also'), s.text(closing)].join(''),
  ([, , , lead, rules, closing]) =>
    [s.text(`${lead} ${closing}`), s.table([['Rule'], ...rules.map((rule) => [rule])])].join(''),
]

export const policyPages: readonly PageSpec[] = policies.map((row, index): PageSpec => {
  const [slug, title, edited] = row
  return {
    slug,
    space: 'PEOPLE',
    title,
    labels: ['policy'],
    edited,
    author: index + 6,
    body: layouts[index % layouts.length]?.(row) ?? '',
    comments:
      index % 4 === 1
        ? [
            {
              body: s.text('Does this hold for temporary contracts too?'),
              replies: [{ body: s.text('Yes, from the first day.') }],
            },
          ]
        : [],
  }
})
