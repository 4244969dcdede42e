/** Where the outcome of a fault is asserted: the title of a test, or the first text of a row of its table. */
interface Proof {
  file: string
  tests: readonly string[]
}

export interface SurvivedFault {
  fault: string
  outcome: string
  proofs: readonly Proof[]
}

const at = (file: string, ...tests: string[]): Proof => ({ file: `tests/${file}.test.ts`, tests })
const wiki = (file: string, ...tests: string[]) => at(`connectors/wiki/${file}`, ...tests)
const bi = (file: string, ...tests: string[]) => at(`connectors/bi/${file}`, ...tests)
const transport = (...tests: string[]) => at('connectors/transport', ...tests)
const clock = (...tests: string[]) => at('connectors/clock', ...tests)
const bytes = (...tests: string[]) => at('connectors/bytes', ...tests)
const scans = (file: string, ...tests: string[]) => at(`scans/${file}`, ...tests)

/** What real tenants do to a connector, by number, and what must come of it. */
export const faults: Record<number, SurvivedFault> = {
  1: {
    fault: 'the next page is named relative to the host, through the site and through the gateway',
    outcome: 'it is fetched once, and the prefix of the gateway is kept',
    proofs: [
      wiki('faults', 'through the gateway, pages follow each other below its prefix'),
      wiki('faults', 'a Link header is as good as a link in the body'),
    ],
  },
  2: {
    fault: 'the cursor is not the last parameter, or is percent-encoded',
    outcome: 'it is decoded and encoded once',
    proofs: [wiki('listing', 'is decoded and encoded once: %s'), wiki('faults', 'not last')],
  },
  3: {
    fault: 'a next page after an empty one, a cursor seen before, new cursors for ever',
    outcome:
      'an empty page is followed, because more may stand behind it, but three pages without anything new, or a cursor seen before, end the scope as cursor_loop; nothing is deleted, requests are bounded',
    proofs: [
      wiki(
        'faults',
        'an empty page with more behind it is followed',
        'new cursors for ever, without anything new, end the scope unfinished',
        'a cursor that comes again ends the scope, unfinished',
      ),
      wiki('listing', 'is never reached where new cursors bring the same pages'),
      scans('platform', 'a list that runs in circles'),
    ],
  },
  4: {
    fault: 'the next page is at another host',
    outcome: 'only its cursor is used; no request leaves',
    proofs: [
      wiki('listing', 'is all that is taken from a next address at %s'),
      wiki('faults', 'of another host', 'of a host without a scheme'),
      bi('discovery', 'a next link lends its parameters only'),
    ],
  },
  5: {
    fault: 'a short page with more behind it',
    outcome: 'the listing goes on',
    proofs: [wiki('listing', 'is not a short page')],
  },
  6: {
    fault: 'one page on two pages of the list',
    outcome: 'one asset, of the highest version',
    proofs: [wiki('faults', 'a page that is listed twice is one asset, with its highest version')],
  },
  7: {
    fault: 'a page goes between the list and its attachments',
    outcome: 'the page is kept, what hangs on it is said to be unavailable, the scan goes on',
    proofs: [wiki('faults', 'a page that goes while it is listed is kept, and what hangs on it is said to be missing')],
  },
  8: {
    fault: 'a stored cursor is refused',
    outcome: 'its scope starts over',
    proofs: [wiki('faults', 'a stored cursor that is refused starts the space over')],
  },
  9: {
    fault: 'more workspaces than one page holds, exactly a full page, a list that ignores the offset',
    outcome: 'all of them; one more call; the repetition is noticed',
    proofs: [bi('discovery', '%i workspaces take %i calls', 'a list that ignores the offset ends, with a warning')],
  },
  10: {
    fault: 'the next page stands in the Link header only, or in the body only',
    outcome: 'either is enough',
    proofs: [
      wiki('faults', 'a Link header is as good as a link in the body', 'only the cursor of an address %s is used'),
    ],
  },
  11: {
    fault: '401 on the first call, and after success',
    outcome: 'auth_failed; auth_expired with what was read standing; nothing deleted',
    proofs: [
      transport('says auth_expired once it was let in'),
      wiki('faults', 'a token that expires in the middle ends the scan'),
      scans('platform', 'a refused credential', 'that expires in the middle stops the scan, and what was read stands'),
    ],
  },
  12: {
    fault: 'success with empty lists, as to a stranger',
    outcome: 'the scan fails: the token is not accepted',
    proofs: [
      wiki('source', '%s is a token that is not accepted, not an empty wiki'),
      scans('platform', 'an anonymous success'),
    ],
  },
  13: {
    fault: 'a scoped token at the address of the site',
    outcome: 'the gateway is found, links stay those of the site',
    proofs: [
      wiki('source', 'finds the gateway by itself where the token has scopes, or where the address is the gateway'),
    ],
  },
  14: {
    fault: 'the scope for comments alone is missing',
    outcome: 'pages are scanned, the capability is reported',
    proofs: [
      wiki('faults', 'a token without the scope for %s still reads pages, and it is said once'),
      scans('platform', 'without the scope for comments still reads pages, and it is said'),
    ],
  },
  15: {
    fault: 'a BI token expires in the middle (401, or 403 TokenExpired)',
    outcome: 'one refresh for all workers and one replay; a second refusal stops',
    proofs: [
      bi(
        'sign-in',
        'an expired token (%i) is renewed once for all calls',
        'a second refusal ends it, with nothing said to be gone',
      ),
      bi('sample', 'tokens that end in mid-scan (%i) are renewed by one request'),
      transport('one refresh serves all calls that were refused with the old one'),
    ],
  },
  16: {
    fault: 'expires_in is short, 0, missing or text',
    outcome: 'no token request for each call, no negative lifetime',
    proofs: [
      bi('sign-in', 'uses a token of %s seconds for %i ms', 'asks for one token for twenty calls (expires_in: %s)'),
    ],
  },
  17: {
    fault: 'the identity provider refuses with AADSTS7000222',
    outcome: 'its text and trace id are shown, the secret never',
    proofs: [bi('sign-in', 'says why it is refused: %s')],
  },
  18: {
    fault: 'an access token pasted with Bearer, with a line break, or expired',
    outcome: 'taken as meant; an expired one is not sent',
    proofs: [bi('sign-in', '%j is the same token', 'that has expired is not even sent')],
  },
  19: {
    fault: '429 with Retry-After in every form',
    outcome: 'waits by the rules; more than 300 s ends the scan with the time to come back',
    proofs: [
      clock(
        'is kept to within 5 %%: %s',
        'is our own back-off where it says %s',
        'ends the scan where it is %s seconds, after one call',
      ),
      at('connectors/retry-after', '%j and body %j ask for %s ms'),
      scans('loop', 'says when it goes on, and goes on then under the same id'),
    ],
  },
  20: {
    fault: '429 to all workers at once',
    outcome: 'one shared pause, no burst after it',
    proofs: [
      transport('one refusal pauses every call of the client, and no burst follows'),
      clock('ten calls after one 429 never start within 50 ms of each other'),
    ],
  },
  21: {
    fault: '503 twice; 500 for large pages only',
    outcome: 'succeeds; asks for fewer',
    proofs: [transport('%i twice and then 200 is a success'), wiki('faults', 'fewer are asked for at a time')],
  },
  22: {
    fault: 'resets, stalls, names that do not resolve, cut JSON, wrong lengths, gzip bombs',
    outcome: 'tried again within max_retries; stopped at the byte cap',
    proofs: [
      bytes(
        '(%s) is asked for again, and after max_retries no more',
        'a length beyond the end of the body',
        'a length that cuts the body',
        'a reset in the body',
        'a stall in the body',
        'that inflates without end is stopped at the cap, and not asked for again',
        'a name that does not resolve is a network fault after all retries',
      ),
      transport('%s is tried again', 'cut JSON'),
    ],
  },
  23: {
    fault: 'a sign-in page as 200',
    outcome: 'protocol_error, never an empty list',
    proofs: [
      transport('HTML with 200 is tried once more and then a protocol error'),
      wiki('faults', '%s in place of pages fails the scope: it is not an empty one'),
    ],
  },
  24: {
    fault: 'max_retries is 0',
    outcome: 'exactly one attempt',
    proofs: [
      transport('without retries, %s is asked exactly once'),
      clock('max_retries %i is so many attempts and one'),
    ],
  },
  25: {
    fault: 'an abort in a wait',
    outcome: 'ends within a second, no timer is left',
    proofs: [
      transport('an abort ends %s within a second'),
      bytes('an abort in a wait leaves no timer behind'),
      wiki('faults', 'a stop ends a crawl within a second'),
    ],
  },
  26: {
    fault: 'an unknown space key among good ones, all unknown, 250 keys',
    outcome: 'reported; failed; asked for in parts',
    proofs: [
      wiki(
        'source',
        'names that match nothing are reported',
        '%j matches nothing, which is a failure',
        'hundreds of long keys are asked for in addresses that are short enough',
      ),
      scans(
        'platform',
        'with one wrong key among good ones is scanned, and the wrong one is named',
        'of wrong keys alone fails',
      ),
    ],
  },
  27: {
    fault: 'a closed, an archived and a personal space',
    outcome: 'the closed scope fails, the others go on',
    proofs: [
      wiki('listing', 'is listed for a closed, an archived and a personal space, each on its own'),
      scans('platform', 'a closed space'),
    ],
  },
  28: {
    fault: 'archived pages in the default listing',
    outcome: 'left out, by asking for current ones',
    proofs: [wiki('listing', 'is without its archived and trashed pages')],
  },
  29: {
    fault: 'members that are null, missing, unknown or of unknown value',
    outcome: 'no harm; the address is made of the space and the id',
    proofs: [wiki('faults', 'members that are missing, null or unknown do no harm')],
  },
  30: {
    fault: 'a body of 10 MB, split CDATA, macros 200 deep, broken markup',
    outcome: 'the text is kept, in time and without a stack overflow',
    proofs: [
      wiki('content', 'of ten megabytes, with deep macros, split CDATA and broken markup, keep their text'),
      at('documents/storage', 'deep nesting', 'a split end mark inside a code macro is joined'),
    ],
  },
  31: {
    fault: 'a secret split by inline tags',
    outcome: 'contiguous',
    proofs: [at('documents/storage', 'inline tags leave no gap')],
  },
  32: {
    fault: '300 comments, deep replies, settled and lost ones, replies that cannot be read',
    outcome: 'one asset, the same checksum again, said to be in part',
    proofs: [
      wiki('faults', 'many comments and deep replies give the same asset every time (site lists hold replies: %s)'),
      wiki(
        'content',
        'that are settled or lost their place count, those taken back do not',
        'of which replies are missing are one asset in part, read whole by the next scan',
        'that were whole before stay as they were while replies cannot be read',
      ),
      scans('platform', 'what a reply held is not resolved while replies cannot be read'),
    ],
  },
  33: {
    fault: 'attachments that lie, lead astray, are locked, are bombs, or share a title',
    outcome: 'the status says which; a title is never a path',
    proofs: [
      wiki(
        'crawl',
        'too large by what is said',
        'one that lies about its size is cut off while it comes',
        'a name is never a path',
      ),
      wiki(
        'faults',
        'a redirect to %s is not followed',
        'an encrypted PDF',
        'a bomb',
        'an archive',
        'no size',
        'a sign-in page does not pass for a file',
      ),
      wiki(
        'content',
        'that are %s are said to have failed, and read by the next scan',
        'of one title are told apart by their ids',
      ),
      transport('asks the platform again where the media token has run out'),
    ],
  },
  34: {
    fault: 'a linked file at an address inside the network, or with credentials in it',
    outcome: 'never fetched',
    proofs: [
      wiki('faults', 'an address in a page is never asked, whatever it is'),
      scans('canary', 'no address outside the tenant is ever sent a credential (address%s)'),
    ],
  },
  35: {
    fault: 'a link to a page in its many forms',
    outcome: 'one target',
    proofs: [
      wiki('listing', 'is one page where an address names it in many ways'),
      scans('links', 'are resolved by title, id and anchor'),
      at('documents/text', 'a tiny link gives back the id that made it'),
    ],
  },
  36: {
    fault: '403 on one workspace of ten',
    outcome: 'nine done, one failed, nothing in it deleted',
    proofs: [scans('platform', 'one closed workspace of ten costs only itself, and nothing in it is gone')],
  },
  37: {
    fault: 'a report whose dataset is elsewhere, out of sight, or none',
    outcome: 'the link is kept by the id of the dataset',
    proofs: [
      bi(
        'crawl',
        'keeps the lineage, across workspaces and past app copies',
        'does not place a dataset of which the platform says no workspace',
      ),
    ],
  },
  38: {
    fault: 'tiles without report and dataset',
    outcome: 'counted, no link',
    proofs: [bi('crawl', 'counts tiles that lead nowhere')],
  },
  39: {
    fault: 'every refusal of the ways to a schema',
    outcome: 'the next way, with the reason of each; queries are switched off once the tenant refuses',
    proofs: [
      bi('schema', 'says why there is none: %s', 'stops asking once the tenant has refused'),
      bi('schema', '501 on the tables of a push dataset', 'an error inside 200'),
      transport('takes a byte-order mark and no content'),
    ],
  },
  40: {
    fault: 'a metadata scan that never ends, fails or lost its result; 101 workspaces',
    outcome: 'at most 100 in one, bounded looks, halves on failure, then the other ways',
    proofs: [
      bi(
        'schema',
        'that %s leaves the other ways',
        'is split in halves when it fails for many, and into hundreds from the start',
      ),
      bi('stuck', 'a metadata scan that never ends is given up once, after ten minutes and a bounded number of looks'),
    ],
  },
  41: {
    fault: 'names of members in another letter case',
    outcome: 'the same',
    proofs: [bi('crawl', 'order, addresses and letter case of keys change nothing')],
  },
  42: {
    fault: 'copies of reports in apps',
    outcome: 'one asset',
    proofs: [bi('crawl', 'gives every item once, under keys made of ids')],
  },
  43: {
    fault: 'a workspace is renamed',
    outcome: 'it changes, its items do not',
    proofs: [bi('crawl', 'a workspace that is renamed changes alone')],
  },
  44: {
    fault: 'workspace ids in capital letters',
    outcome: 'they match',
    proofs: [bi('discovery', 'by id, whatever the letter case')],
  },
  45: {
    fault: 'personal workspaces asked for by an application',
    outcome: 'a warning, not silence',
    proofs: [bi('discovery', 'an application without admin rights is told that it has none')],
  },
  46: {
    fault: 'a crash after some pages',
    outcome: 'no asset twice, none missing',
    proofs: [
      scans('kill', 'a scan that is killed again and again ends like an undisturbed one'),
      wiki('crawl', 'a crawl goes on from the place of any batch, without losing or doubling a page'),
      bi('crawl', 'goes on after the batch that was stored'),
    ],
  },
  47: {
    fault: 'two scans of one source at once',
    outcome: 'the second is refused with the id of the first',
    proofs: [
      scans('operations', 'starts one scan for fifty callers'),
      scans('scan', 'names the scan that runs already'),
      scans('overlap', 'fifty triggers through every door start one scan, and the others name it'),
    ],
  },
  48: {
    fault: 'a page is missing once, twice, and back',
    outcome: 'kept, deleted by the second whole scan, restored under its key',
    proofs: [
      scans(
        'scan',
        'is deleted by the second complete scan, and its findings are resolved',
        'must be absent twice in a row',
        'is restored when it comes back',
      ),
    ],
  },
  49: {
    fault: 'a page is missing from a partial or sampled scan',
    outcome: 'kept',
    proofs: [
      scans(
        'scan',
        'stays when only a sample was taken',
        'stays when the listing says that it has gaps',
        'goes on with other scopes when one cannot be listed, and resolves nothing in it',
      ),
    ],
  },
  50: {
    fault: 'a second scan of an unchanged tenant, and of one with one edit',
    outcome: 'no checksum changes; exactly the edited asset does',
    proofs: [
      wiki(
        'crawl',
        'of an unchanged site fetches no body and no attachment, in at most 40 requests beside replies',
        'sees exactly %s',
        'that change make exactly their page another one',
      ),
      bi('crawl', 'gives the same checksums for an unchanged tenant', 'a measure changes the dataset'),
      bi('sample', 'a second look as %s finds nothing changed, and an edit changes one asset'),
    ],
  },
}
