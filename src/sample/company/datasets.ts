import { people, secrets } from './values.ts'

/** `name: type`, with `!` in front where it is hidden, and words after `|` for a description. */
export type ColumnSpec = string
export type MeasureSpec = readonly [name: string, dax: string, description?: string]

export interface TableSpec {
  name: string
  description?: string
  columns: readonly ColumnSpec[]
  measures?: readonly MeasureSpec[]
  /** Power Query; absent: read from the warehouse by name. */
  source?: string
}

export interface DatasetSpec {
  workspace: string
  name: string
  description?: string
  owner: string
  push?: true
  secured?: true
  retrievalError?: string
  tables: readonly TableSpec[]
  sources: readonly { type: string; details: Record<string, string>; connectionString?: string }[]
  parameters?: readonly (readonly [name: string, value: string])[]
  upstream?: readonly string[]
  dataflows?: readonly string[]
}

const warehouse = { type: 'Sql', details: { server: 'warehouse.larkmoor.internal', database: 'marts' } }

export const datasets: readonly DatasetSpec[] = [
  {
    workspace: 'Finance',
    name: 'Sales ledger',
    description: 'Invoices and credit notes of all countries, closed days only.',
    owner: 'marek.dudek',
    tables: [
      {
        name: 'Invoice',
        description: 'One row for each invoice or credit note.',
        columns: [
          'Invoice number: String',
          'Country: String',
          'Issued on: DateTime',
          'Net: Decimal',
          'Tax: Decimal',
          '!Batch: Int64',
        ],
        measures: [
          ['Net sales', 'SUM(Invoice[Net])', 'Net amount without credit notes of later days.'],
          ['Net sales last year', "CALCULATE([Net sales], SAMEPERIODLASTYEAR('Calendar'[Date]))"],
          [
            'Growth',
            'DIVIDE([Net sales] - [Net sales last year], [Net sales last year])',
            'Growth against the same days of last year.',
          ],
        ],
      },
      { name: 'Calendar', columns: ['Date: DateTime', 'Week: Int64', 'Season: String'] },
      { name: 'Cost centre', description: 'Who pays.', columns: ['Code: String', 'Name: String'] },
    ],
    sources: [warehouse],
    dataflows: ['Closed days'],
  },
  {
    workspace: 'Finance',
    name: 'Supplier payments',
    owner: 'greta.lindahl',
    tables: [
      {
        name: 'Supplier',
        columns: ['Supplier id: Int64', 'Name: String', 'iban: String', 'Country: String'],
        measures: [['Open payables', 'CALCULATE(SUM(Payment[Amount]), Payment[Status] = "open")']],
      },
      {
        name: 'Payment',
        columns: ['Amount: Decimal', 'Due on: DateTime', 'Status: String'],
        source: `let\n  Source = Sql.Database("north-sql.larkmoor.internal", "payables"),\n  Rows = Source{[Schema="dbo",Item="payment"]}[Data]\nin\n  Rows`,
      },
    ],
    sources: [
      {
        type: 'OleDb',
        details: { server: 'north-sql.larkmoor.internal', database: 'payables' },
        connectionString: `Provider=SQLNCLI11;Data Source=north-sql.larkmoor.internal;Initial Catalog=payables;User ID=bi_reader;Password=${secrets.biPassword}`,
      },
    ],
  },
  {
    workspace: 'Finance',
    name: 'Budget',
    description: 'Plan of the year by cost centre and month, as agreed by the board.',
    owner: 'marek.dudek',
    tables: [
      {
        name: 'Plan',
        columns: ['Cost centre: String', 'Month: DateTime', 'Planned: Decimal'],
        measures: [
          ['Planned total', 'SUM(Plan[Planned])'],
          ['Deviation', '[Net sales] - [Planned total]', 'Only meaningful for closed months.'],
        ],
      },
    ],
    sources: [{ type: 'File', details: { path: '\\\\thornby-files\\finance\\budget.xlsx' } }],
    upstream: ['Sales ledger'],
  },
  {
    workspace: 'Supply Chain',
    name: 'Stock movements',
    description: 'Every movement of the warehouse and the back rooms of the stores.',
    owner: 'sanna.virtala',
    tables: [
      {
        name: 'Movement',
        columns: ['Bay: String', 'Article: String', 'Pieces: Int64', 'Booked at: DateTime', 'Reason: String'],
        measures: [
          ['Pieces on hand', 'SUM(Movement[Pieces])', 'The sum of all movements up to the chosen day.'],
          ['Negative bays', 'COUNTROWS(FILTER(VALUES(Movement[Bay]), [Pieces on hand] < 0))'],
        ],
      },
      { name: 'Article', columns: ['Article: String', 'Name: String', 'Season: String', 'Weight: Int64'] },
    ],
    sources: [{ type: 'PostgreSql', details: { server: 'stock-db-2.larkmoor.internal', database: 'stock' } }],
    parameters: [
      ['Region', 'uk'],
      [
        'Stock source',
        `Host=stock-db-2.larkmoor.internal;Database=stock;Username=bi;Password=${secrets.biParameterPassword}`,
      ],
    ],
  },
  {
    workspace: 'Supply Chain',
    name: 'Carrier performance',
    owner: 'hugo.lacroix',
    tables: [
      {
        name: 'Parcel',
        columns: [
          'Parcel: String',
          'Carrier: String',
          'Promised on: DateTime',
          'Delivered on: DateTime',
          'Cost: Decimal',
        ],
        measures: [
          [
            'On time',
            'DIVIDE(COUNTROWS(FILTER(Parcel, Parcel[Delivered on] <= Parcel[Promised on])), COUNTROWS(Parcel))',
          ],
          ['Cost per parcel', 'AVERAGE(Parcel[Cost])', 'Without the surcharge for islands.'],
        ],
        source: `let\n  Source = Json.Document(Web.Contents("https://api.fjordpost.example/v1/parcels", [Headers = [#"X-Api-Key" = "${secrets.biApiKey}"]])),\n  Rows = Table.FromRecords(Source[items])\nin\n  Rows`,
      },
    ],
    sources: [{ type: 'Web', details: { url: 'https://api.fjordpost.example/v1/parcels' } }],
  },
  {
    workspace: 'Supply Chain',
    name: 'Packing line live',
    description: 'Counts of the last two hours, pushed by the line itself.',
    owner: 'hugo.lacroix',
    push: true,
    tables: [{ name: 'Line', columns: ['Minute: DateTime', 'Boxes: Int64', 'Rejected labels: Int64'] }],
    sources: [],
  },
  {
    workspace: 'Stores',
    name: 'Store sales',
    description: 'Receipts of all tills, three days late where a store was offline.',
    owner: 'ottilie.grant',
    tables: [
      {
        name: 'Receipt',
        columns: ['Store: String', 'Till: Int64', 'Sold at: DateTime', 'Total: Decimal', 'Staff number: Int64'],
        measures: [
          ['Receipts', 'COUNTROWS(Receipt)'],
          ['Average receipt', 'AVERAGE(Receipt[Total])', 'Returns included, so it can fall below what people pay.'],
          ['Conversion', 'DIVIDE([Receipts], SUM(Visit[Visitors]))'],
        ],
      },
      { name: 'Visit', columns: ['Store: String', 'Hour: DateTime', 'Visitors: Int64'] },
    ],
    sources: [warehouse],
  },
  {
    workspace: 'Stores',
    name: 'Staff rota',
    owner: 'nia.pritchard',
    secured: true,
    retrievalError: 'Schema is not available for models with object level security',
    tables: [
      {
        name: 'Shift',
        columns: ['Store: String', 'Staff number: Int64', 'Starts: DateTime', 'Ends: DateTime', 'base_pay: Decimal'],
      },
    ],
    sources: [{ type: 'SharePointList', details: { url: 'https://larkmoor.example/sites/rota' } }],
  },
  {
    workspace: 'Customer and Marketing',
    name: 'Club members',
    description: 'Members, feathers and walks. Contains personal data, ask before sharing.',
    owner: 'femi.adeyemi',
    tables: [
      {
        name: 'Member',
        columns: [
          'Member number: Int64',
          'Joined on: DateTime',
          'date_of_birth: DateTime',
          'Postcode area: String',
          'national_insurance: String',
        ],
        measures: [
          ['Members', 'DISTINCTCOUNT(Member[Member number])'],
          ['Feathers outstanding', 'SUM(Feather[Points])', 'Points that have not fallen due.'],
        ],
      },
      { name: 'Feather', columns: ['Member number: Int64', 'Points: Int64', 'Booked on: DateTime', 'Source: String'] },
    ],
    sources: [warehouse],
  },
  {
    workspace: 'Customer and Marketing',
    name: 'Campaign results',
    owner: 'femi.adeyemi',
    tables: [
      {
        name: 'Campaign',
        columns: ['Campaign: String', 'Sent: Int64', 'Opened: Int64', 'Orders: Int64'],
        measures: [
          ['Open rate', 'DIVIDE(SUM(Campaign[Opened]), SUM(Campaign[Sent]))'],
          ['Orders per thousand', '1000 * DIVIDE(SUM(Campaign[Orders]), SUM(Campaign[Sent]))'],
        ],
      },
    ],
    sources: [{ type: 'File', details: { path: '\\\\thornby-files\\marketing\\campaigns.csv' } }],
  },
  {
    workspace: 'Data Platform',
    name: 'Load monitoring',
    description: `When which table was loaded. Questions to ${people.reportContact}.`,
    owner: 'rohan.mistry',
    tables: [
      {
        name: 'Load',
        columns: ['Table: String', 'Started: DateTime', 'Rows: Int64', 'Stamp: Boolean'],
        measures: [
          ['Missing stamps', 'COUNTROWS(FILTER(Load, NOT Load[Stamp]))'],
          ['Rows loaded', 'SUM(Load[Rows])'],
        ],
      },
    ],
    sources: [warehouse],
    dataflows: ['Closed days'],
  },
  {
    workspace: 'Data Platform',
    name: 'Search quality',
    owner: 'callum.roe',
    tables: [
      {
        name: 'Query',
        columns: ['Language: String', 'Words: Int64', 'Hits: Int64', 'Clicked: Boolean'],
        measures: [
          ['Empty answers', 'DIVIDE(COUNTROWS(FILTER(Query, Query[Hits] = 0)), COUNTROWS(Query))'],
          ['Click rate', 'DIVIDE(COUNTROWS(FILTER(Query, Query[Clicked])), COUNTROWS(Query))'],
        ],
      },
    ],
    sources: [warehouse],
  },
]
