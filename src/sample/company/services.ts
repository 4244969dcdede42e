/**
 * The systems of the company, as their owners would describe them: pages of engineering and operations are made of
 * this.
 */
export interface Service {
  name: string
  /** What a newcomer would call it. */
  role: string
  purpose: string
  language: string
  storage: string
  owner: string
  talksTo: readonly string[]
  traits: readonly [string, string]
  /** How it breaks, how one sees it, and what helps. */
  failure: string
  symptom: string
  remedy: readonly string[]
  command: string
  alert: { name: string; condition: string; meaning: string }
  decision: { title: string; context: string; choice: string; consequence: string; rejected: string }
}

export const services: readonly Service[] = [
  {
    name: 'Cairn',
    role: 'checkout',
    purpose:
      'Cairn turns a basket into a paid order. It reserves stock, asks the payment provider for an authorisation, and writes the order once both have agreed.',
    language: 'Kotlin',
    storage: 'PostgreSQL, one schema per sales region',
    owner: 'Payments team',
    talksTo: ['Burrow', 'Ledger', 'Gate'],
    traits: [
      'Every step of a purchase is written down before it is taken, so a restart in the middle of a payment picks up where it stopped.',
      'Prices are frozen for fifteen minutes from the moment the basket page is opened; after that the customer is shown the difference.',
    ],
    failure: 'The payment provider answers slowly and worker threads pile up behind it.',
    symptom: 'Baskets spin on the last step while the rest of the shop feels normal.',
    remedy: [
      'Look at the provider board first: nine times in ten the trouble starts there.',
      'Lower the number of parallel authorisations to eight, which keeps the remaining threads for reading.',
      'Tell the customer care desk that orders are accepted but confirmations come late.',
      'Raise the limit again in two steps once the ninety-fifth percentile is below two seconds.',
    ],
    command: 'larkctl scale cairn --authorisations 8 --region uk',
    alert: {
      name: 'Authorisations waiting',
      condition: 'more than 40 authorisations older than 20 seconds, for five minutes',
      meaning:
        'Money may be reserved on cards without an order behind it; the nightly sweep releases it, but people notice sooner.',
    },
    decision: {
      title: 'Keep the purchase log in the order database',
      context: 'We wanted to replay a purchase after a crash, and could not agree where its steps should live.',
      choice: 'The steps stand beside the order, in the same transaction, in a table that nothing else reads.',
      consequence: 'One backup covers both. The table grows by four million rows a month and is partitioned by week.',
      rejected: 'A separate event store, because two systems that must agree need a third one to tell who is right.',
    },
  },
  {
    name: 'Ridge',
    role: 'product catalogue',
    purpose:
      'Ridge holds what we sell: names, pictures, sizes, care labels and the texts in six languages. Buyers edit it, everyone else reads it.',
    language: 'TypeScript',
    storage: 'PostgreSQL for the master, a read copy in memory on every web node',
    owner: 'Catalogue team',
    talksTo: ['Lantern', 'Quarry'],
    traits: [
      'A product is published as a whole: a half-translated article never reaches the shop window.',
      'Pictures are addressed by what they show, so replacing one makes a new address and old newsletters keep working.',
    ],
    failure: 'A large import from a supplier blocks the queue of small edits.',
    symptom: 'Buyers report that their change is saved but not visible after ten minutes.',
    remedy: [
      'Find the import in the list of running jobs; it carries the name of the supplier.',
      'Pause it rather than stopping it, because a stopped import starts from its first line.',
      'Wait for the small edits to drain, which takes about three minutes for every thousand.',
      'Resume the import after shop hours.',
    ],
    command: 'larkctl jobs pause ridge-import --supplier northface-sports',
    alert: {
      name: 'Publication lag',
      condition: 'the oldest unpublished edit is older than 15 minutes during opening hours',
      meaning:
        'Prices on shelf labels and prices in the shop may differ, which is a legal matter in two of our countries.',
    },
    decision: {
      title: 'Publish products whole or not at all',
      context:
        'Customers saw articles with an English title above a German description whenever translators worked late.',
      choice: 'A product version becomes visible when all languages of its markets are marked as ready.',
      consequence:
        'New articles appear half a day later on average; returns because of a wrong description fell by a third.',
      rejected: 'Hiding only the untranslated fields, which left pages with holes in them.',
    },
  },
  {
    name: 'Burrow',
    role: 'warehouse stock',
    purpose:
      'Burrow knows how many of each article lie in which bay of the Thornby warehouse and in the back rooms of the stores.',
    language: 'Go',
    storage: 'PostgreSQL with a ledger table that is only ever appended to',
    owner: 'Supply team',
    talksTo: ['Ferry', 'Bothy', 'Quarry'],
    traits: [
      'A count is the sum of its movements; nobody can set a number, only book a difference with a reason.',
      'Handheld scanners work offline for up to an hour and send their bookings when the aisle has reception again.',
    ],
    failure: 'Two scanners book the same pallet after both came back online.',
    symptom: 'A bay shows more boots than it can physically hold.',
    remedy: [
      'Open the movement list of the bay and sort by scanner.',
      'Book the second receipt back with reason code 14, duplicate receipt.',
      'Ask the shift lead to recount the bay; do not correct the count from the desk.',
      'If more than five bays are affected, stop the evening pick for that aisle.',
    ],
    command: 'larkctl stock movements --bay C-17-04 --since yesterday',
    alert: {
      name: 'Negative bays',
      condition: 'any bay below zero for more than ten minutes',
      meaning:
        'Something left the building that never came in, or a receipt is missing; the pick list of the next wave will be wrong.',
    },
    decision: {
      title: 'Book movements, never counts',
      context: 'Auditors asked three times in one year why a count had changed, and three times we could not say.',
      choice: 'Counts are derived. The only write is a movement with a source, a reason and a person or device.',
      consequence:
        'Corrections take two steps instead of one. Every number can be explained back to the last stocktake.',
      rejected: 'A history table filled by triggers, since it records what changed but not why.',
    },
  },
  {
    name: 'Beacon',
    role: 'notifications',
    purpose:
      'Beacon sends what we have to tell customers: order mails, delivery texts, the weekly letter and the push messages of the app.',
    language: 'Python',
    storage: 'Redis for the queue, object storage for rendered mails',
    owner: 'Customer team',
    talksTo: ['Tarn', 'Ferry'],
    traits: [
      'Each message has a reason and an expiry: a delivery text that is two hours late is dropped, not sent.',
      'Templates are reviewed like code, and a mail cannot be sent in a language that nobody proofread.',
    ],
    failure: 'The mail provider throttles us after a campaign went to the whole list at once.',
    symptom: 'Order confirmations arrive hours after the newsletter.',
    remedy: [
      'Move order mails to the second provider with the routing switch.',
      'Let the campaign queue drain at its own pace, it is not urgent.',
      'Write a short note in the incident channel so that customer care can answer questions.',
      'Switch back the next morning, never on the same evening.',
    ],
    command: 'larkctl route beacon --class transactional --provider b',
    alert: {
      name: 'Confirmation delay',
      condition: 'the ninety-ninth percentile of order mails is above 15 minutes',
      meaning: 'Customers order a second time when no mail arrives, and we ship both.',
    },
    decision: {
      title: 'Two mail providers, one queue each',
      context: 'A single campaign delayed every order mail of a Saturday.',
      choice: 'Transactional and promotional mails use different providers, addresses and queues.',
      consequence: 'Two contracts to look after. A campaign can no longer hurt an order.',
      rejected: 'Priorities inside one queue, because the provider throttles by sender and not by message.',
    },
  },
  {
    name: 'Ferry',
    role: 'shipping',
    purpose:
      'Ferry chooses a carrier for each parcel, prints the label, and follows the parcel until somebody has signed for it.',
    language: 'Java',
    storage: 'PostgreSQL, plus a cache of carrier tariffs that is rebuilt nightly',
    owner: 'Supply team',
    talksTo: ['Burrow', 'Beacon'],
    traits: [
      'Tariffs are compared per parcel, including the surcharge for islands and for anything longer than a tent pole.',
      'Carriers are asked in turn with a limit of four seconds each; the cheapest that answered wins.',
    ],
    failure: 'A carrier changes its label format without telling us.',
    symptom: 'The packing line stops because the printer rejects every label of one carrier.',
    remedy: [
      'Switch the carrier off for new parcels; the others take over within a minute.',
      'Collect three rejected labels and attach them to the ticket for the carrier.',
      'Reprint the stuck parcels with the next best carrier, using the batch form.',
      'Leave the carrier off until a test label has gone through the line.',
    ],
    command: 'larkctl carriers disable alpine-parcel --reason "label format"',
    alert: {
      name: 'Labels rejected',
      condition: 'more than 2 % of labels rejected within a quarter of an hour',
      meaning: 'The packing line has room for about four hundred parcels; after that the conveyor stops.',
    },
    decision: {
      title: 'Ask carriers in parallel with a short limit',
      context: 'Asking one carrier after the other took eleven seconds at peak, longer than packing a box.',
      choice: 'All carriers are asked at once and have four seconds.',
      consequence: 'We pay slightly more when a cheap carrier is slow. Nobody waits at the line any more.',
      rejected: 'Deciding by a fixed table, which was wrong by eleven percent of shipping cost in the trial.',
    },
  },
  {
    name: 'Ledger',
    role: 'invoicing',
    purpose:
      'Ledger writes invoices and credit notes, numbers them without gaps, and hands the day to accounting every night.',
    language: 'Java',
    storage: 'PostgreSQL, with signed PDF copies in write-once storage',
    owner: 'Finance systems team',
    talksTo: ['Cairn', 'Quarry'],
    traits: [
      'An invoice is never changed; a mistake is answered by a credit note and a new invoice.',
      'Numbers are given out per country and year by a single row that is locked for a few milliseconds.',
    ],
    failure: 'The nightly hand-over stops half way when one record is refused by accounting.',
    symptom: 'The finance inbox shows a hand-over with fewer invoices than Ledger wrote.',
    remedy: [
      'Read the refusal in the hand-over report; it names the invoice and the field.',
      'Correct the master record of the customer, not the invoice.',
      'Start the hand-over again with the same batch number, which skips what was accepted.',
      'Tell the controller on duty before seven in the morning if the batch is still open.',
    ],
    command: 'larkctl ledger handover --batch today --resume',
    alert: {
      name: 'Hand-over open',
      condition: 'the batch of yesterday is not closed by 05:30',
      meaning: 'Accounting starts its day on incomplete figures, and the cash report for the board is wrong.',
    },
    decision: {
      title: 'Give out invoice numbers under a lock',
      context:
        'Tax law in three of our markets wants numbers without gaps, and a sequence leaves gaps when a write fails.',
      choice: 'One row per country and year holds the next number and is locked together with the invoice.',
      consequence: 'Writing is serial per country, at most ninety invoices a second, which is four times our peak.',
      rejected: 'Filling gaps afterwards with void invoices, which auditors read as deleted ones.',
    },
  },
]
