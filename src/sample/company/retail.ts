import * as s from '../wiki/storage.ts'
import type { PageSpec } from './page.ts'
import { storePages, towns } from './stores.ts'

const suppliers: readonly (readonly [
  slug: string,
  name: string,
  edited: number,
  makes: string,
  terms: readonly string[],
  watch: string,
])[] = [
  [
    'retail-supplier-hoarfrost',
    'Hoarfrost Down',
    42,
    'Sleeping bags and jackets with down from two farms that we have visited.',
    [
      'Orders for winter by the end of February.',
      'Repairs by us, spare down by the kilo.',
      'Payment after thirty days.',
    ],
    'Wash labels change with every batch; ask for the sheet.',
  ],
  [
    'retail-supplier-stonewall',
    'Stonewall Footwear',
    29,
    'Boots that can be resoled three times.',
    [
      'Sizes in half steps from 36 to 49.',
      'Soles are kept for ten years after a model ends.',
      'Returns of worn boots go to their workshop.',
    ],
    'The last for women changed in spring; sizes fall one half larger.',
  ],
  [
    'retail-supplier-northbeam',
    'Northbeam Lamps',
    57,
    'Head torches and batteries.',
    [
      'Batteries travel as dangerous goods, with the yellow form.',
      'Two years of guarantee, exchanged at the till.',
      'Minimum of two hundred pieces.',
    ],
    'Old chargers do not fit the new battery, although they look as if they did.',
  ],
  [
    'retail-supplier-kelpie',
    'Kelpie Drybags',
    88,
    'Bags that keep water out, or in.',
    [
      'Colours are fixed for two seasons.',
      'Seams are tested by us, one in fifty.',
      'They collect what we cannot sell.',
    ],
    'The small size is sold out every June; order it as if it were twice as good.',
  ],
  [
    'retail-supplier-redgully',
    'Red Gully Ropes',
    65,
    'Ropes, slings and the cord that children make bracelets from.',
    [
      'Every rope has a number that we scan at the till.',
      'Recalls reach us by telephone and by mail, both are answered.',
      'Payment after sixty days.',
    ],
    'A rope without a number is not sold, whatever the story.',
  ],
  [
    'retail-supplier-wetherlam',
    'Wetherlam Wool',
    134,
    'Base layers and socks, knitted forty kilometres from Thornby.',
    ['Small runs, colours on request.', 'Delivered by their own van on Thursdays.', 'Mending yarn is free.'],
    'Socks shrink if customers are as careless as we are.',
  ],
]

const campaigns: readonly (readonly [
  slug: string,
  title: string,
  edited: number,
  idea: string,
  steps: readonly string[],
  result: string,
])[] = [
  [
    'retail-campaign-dry',
    'Campaign: Stay dry or bring it back',
    38,
    'A rain jacket that leaks within a year is exchanged in any store, without a receipt.',
    [
      'Posters in all windows by the first of October.',
      'A short text on the product page, no pop-up.',
      'A card with three washing rules in every pocket.',
    ],
    'One in four hundred came back, fewer than before, because people read the card.',
  ],
  [
    'retail-campaign-repair',
    'Campaign: The long life of a zip',
    59,
    'We show one repair a week, from the rip to the hill.',
    [
      'Film in the workshop on Mondays.',
      'Give the customer the piece and the story.',
      'Feathers double for repairs in November.',
    ],
    'The waiting list doubled as well; say four weeks and mean it.',
  ],
  [
    'retail-campaign-first-boots',
    'Campaign: First boots',
    97,
    'Children get measured twice a year, and the second pair of a family costs half.',
    [
      'Measuring boards in every store by March.',
      'The card with the growing line.',
      'No advertising to children, only to those who carry them.',
    ],
    'Families stayed longer and bought socks.',
  ],
  [
    'retail-campaign-lamp',
    'Campaign: Lamps in November',
    8,
    'The month in which everyone finds out that their lamp is empty.',
    [
      'Batteries at the till, not on the wall.',
      'A dark cabin to try the beam in.',
      'Old lamps are taken back for a third of the price.',
    ],
    'Planned figures are in the sheet; the cabin is a cupboard with a curtain.',
  ],
]

const scripts: readonly (readonly [
  slug: string,
  title: string,
  edited: number,
  situation: string,
  say: readonly string[],
  never: string,
])[] = [
  [
    'retail-care-late',
    'Care: the parcel is late',
    13,
    'The carrier shows no movement for three days.',
    [
      'Say that you are sorry before you look anything up.',
      'Offer a second parcel at once if the journey starts within a week.',
      'Write the new date into the order, the customer sees it.',
    ],
    'Do not explain how carriers work.',
  ],
  [
    'retail-care-damaged',
    'Care: it arrived broken',
    27,
    'The customer sends a picture of a torn bag or a bent pole.',
    [
      'Thank them for the picture.',
      'Send a new one today and the return label tomorrow.',
      'Mark the picture for the supplier.',
    ],
    'Do not ask how it was opened.',
  ],
  [
    'retail-care-size',
    'Care: it does not fit',
    36,
    'Boots that felt right in the living room and wrong on the hill.',
    ['Ask where it hurts and on which slope.', 'Offer a fitting in the nearest store.', 'Worn once is not worn.'],
    'Do not quote the size table.',
  ],
  [
    'retail-care-forget',
    'Care: please delete my data',
    50,
    'The law gives thirty days, we take ten.',
    [
      'Check who is writing with the order number.',
      'Start the request in the account tool.',
      'Tell the customer that a certificate will come.',
    ],
    'Do not ask why.',
  ],
  [
    'retail-care-price',
    'Care: it was cheaper yesterday',
    62,
    'Prices froze for fifteen minutes, and it was the sixteenth.',
    [
      'Look at the basket history.',
      'Give the older price if the difference is below ten.',
      'Otherwise offer feathers.',
    ],
    'Do not use the word policy.',
  ],
]

const rest: readonly Omit<PageSpec, 'space'>[] = [
  {
    slug: 'retail-home',
    title: 'Stores and customers',
    edited: 7,
    author: 8,
    body: [
      s.text(
        'Everything about the places where we meet customers: thirty-eight stores, one shop on the web, one telephone.',
      ),
      s.bullets(...towns.slice(0, 5).map((town) => s.pageLink(`Store: ${town}`))),
      s.paragraph(`Care scripts start with ${s.pageLink('Care: the parcel is late')}.`),
    ].join(''),
  },
  {
    slug: 'retail-stocktake',
    title: 'Stocktake in a store',
    edited: 43,
    author: 9,
    labels: ['guide'],
    body: [
      s.text('Twice a year, after closing, with pizza.'),
      s.steps(
        'Print the list by shelf, not by article.',
        'Count in pairs: one calls, one writes.',
        'Recount every shelf that differs by more than two pieces.',
        'Book differences with reason 3 before midnight.',
      ),
      s.paragraph(`The form is attached: ${s.attachmentLink('stocktake-form.docx')}.`),
    ].join(''),
  },
  {
    slug: 'retail-gift-cards',
    title: 'Gift cards',
    edited: 70,
    author: 5,
    body: [
      s.text('A gift card is money. It is counted at closing like the notes in the drawer.'),
      s.list(
        'Sold at the till from ten to five hundred.',
        'Never reactivated over the telephone.',
        'Lost cards are replaced against the receipt only.',
      ),
    ].join(''),
  },
  {
    slug: 'retail-returns',
    title: 'Returns at the till',
    edited: 32,
    author: 3,
    labels: ['guide'],
    body: [
      s.text('A customer who returns something is still in the store. That is the best part.'),
      s.table([
        ['With receipt', 'Without'],
        ['Money back the way it came', 'Gift card, up to the limit of the season'],
        ['Worn once: same', 'Worn: repair or advice'],
      ]),
      s.paragraph(
        `Tills that are offline: see ${s.pageLink('Bothy', { space: 'ENG' })} and ${s.pageLink('Maintenance windows', { space: 'OPS', anchor: 'windows', label: 'the windows' })}.`,
      ),
    ].join(''),
  },
]

export const retailPages: readonly PageSpec[] = [
  ...rest.map((page): PageSpec => ({ ...page, space: 'RETAIL' })),
  ...storePages,
  ...suppliers.map(
    ([slug, name, edited, makes, terms, watch], index): PageSpec => ({
      slug,
      space: 'RETAIL',
      title: `Supplier: ${name}`,
      labels: ['supplier'],
      edited,
      author: index + 2,
      body: [s.text(makes), s.heading('Terms'), s.list(...terms), s.warning(s.text(watch))].join(''),
    }),
  ),
  ...campaigns.map(
    ([slug, title, edited, idea, plan, result], index): PageSpec => ({
      slug,
      space: 'RETAIL',
      title,
      labels: ['campaign'],
      edited,
      author: index + 7,
      body: [
        s.text(idea),
        s.tasks(...plan.map((item) => [item, index !== 3] as const)),
        s.heading('How it went'),
        s.text(result),
      ].join(''),
    }),
  ),
  ...scripts.map(
    ([slug, title, edited, situation, say, never], index): PageSpec => ({
      slug,
      space: 'RETAIL',
      title,
      labels: ['care'],
      edited,
      author: index + 4,
      body: [s.info(s.text(situation)), s.heading('Say'), s.steps(...say), s.heading('Never'), s.text(never)].join(''),
    }),
  ),
]
