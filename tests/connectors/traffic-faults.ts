import { at, bi, bodies, bytes, clock, type SurvivedFault, scans, transport, wiki } from './fault-proofs.ts'

/** What goes wrong on the way: next pages, sign-in, rates, broken replies. */
export const trafficFaults: Record<number, SurvivedFault> = {
  1: {
    fault: 'the next page is named relative to the host, through the site and through the gateway',
    outcome: 'it is fetched once, and the prefix of the gateway is kept',
    proofs: [
      wiki('faults', 'through the gateway, next links are requested below its prefix'),
      wiki('faults', 'a Link header is followed like a link in the body'),
    ],
  },
  2: {
    fault: 'the cursor is not the last parameter, or is percent-encoded',
    outcome: 'it is decoded and encoded once',
    proofs: [wiki('listing', 'is decoded and encoded once: %s'), wiki('faults', 'not last')],
  },
  3: {
    fault: 'a next page after an empty one, a repeated cursor, endless new cursors',
    outcome:
      'an empty page is followed, because more may stand behind it, but three pages without anything new, or a cursor seen before, end the scope as cursor_loop; nothing is deleted, requests are bounded',
    proofs: [
      wiki(
        'faults',
        'an empty page with a next cursor is followed',
        'endless new cursors without new items end the scope as incomplete',
        'a repeated cursor ends the scope as incomplete',
      ),
      wiki('listing', 'is not assumed where new cursors return the same pages'),
      scans('platform', 'a list with a cursor loop'),
    ],
  },
  4: {
    fault: 'the next page is at another host',
    outcome: 'only its cursor is used; no request leaves',
    proofs: [
      wiki('listing', 'is the only used part of a next link to %s'),
      wiki('faults', 'of another host', 'of a host without a scheme'),
      bi('discovery', 'only the parameters of a next link are used'),
    ],
  },
  5: {
    fault: 'a short page that is not the last one',
    outcome: 'the listing goes on',
    proofs: [wiki('listing', 'is not assumed after a short page')],
  },
  6: {
    fault: 'one page of the wiki on two pages of the list',
    outcome: 'one asset, of the highest version',
    proofs: [wiki('faults', 'a page that is listed twice is one asset, with its highest version')],
  },
  7: {
    fault: 'a page is deleted between the list and its attachments',
    outcome: 'the page is kept, what hangs on it is said to be unavailable, the scan goes on',
    proofs: [
      wiki('refusals', 'of a page that is deleted during the crawl are reported as missing, and the page is kept'),
    ],
  },
  8: {
    fault: 'a stored cursor is refused',
    outcome: 'its scope starts over',
    proofs: [wiki('faults', 'a stored cursor that is refused restarts the crawl of the space')],
  },
  9: {
    fault: 'more workspaces than one page holds, exactly a full page, a list that ignores the offset',
    outcome: 'all of them; one more call; the repetition is noticed',
    proofs: [
      bi('discovery', '%i workspaces take %i requests', 'reading a list that ignores the offset ends with a warning'),
    ],
  },
  10: {
    fault: 'the next link is in the Link header only, or in the body only',
    outcome: 'either is enough',
    proofs: [
      wiki('faults', 'a Link header is followed like a link in the body', 'only the cursor of an address %s is used'),
    ],
  },
  11: {
    fault: '401 on the first call, and after success',
    outcome: 'auth_failed; auth_expired with what was read standing; nothing deleted',
    proofs: [
      transport('reports auth_expired if requests succeeded before'),
      wiki('refusals', 'a token that expires during a scan ends it'),
      scans(
        'platform',
        'a refused credential',
        'that expires during the scan stops it, and its results so far are kept',
      ),
    ],
  },
  12: {
    fault: 'success with empty lists, as for an anonymous user',
    outcome: 'the scan fails: the token is not accepted',
    proofs: [
      wiki('source', '%s is reported as a refused token, not as an empty wiki'),
      scans('platform', 'an anonymous success'),
    ],
  },
  13: {
    fault: 'a scoped token at the address of the site',
    outcome: 'the gateway is found, links stay those of the site',
    proofs: [wiki('source', 'finds the gateway where the token has scopes, or where the address is the gateway')],
  },
  14: {
    fault: 'only the scope for comments is missing',
    outcome: 'pages are scanned, the capability is reported',
    proofs: [
      wiki('refusals', 'a token without the scope for %s still reads pages, and one warning reports it'),
      scans('platform', 'without the scope for comments still reads pages, with a warning'),
    ],
  },
  15: {
    fault: 'a BI token expires in the middle (401, or 403 TokenExpired)',
    outcome: 'one refresh for all workers and one replay; a second refusal stops',
    proofs: [
      bi(
        'sign-in',
        'an expired token (%i) is renewed once for all calls',
        'a second refusal ends the scan without deletions',
      ),
      bi('sample', 'tokens that expire during a scan (%i) are renewed by one request'),
      bodies('are refreshed once for all calls that were refused with the old one'),
    ],
  },
  16: {
    fault: 'expires_in is short, 0, missing or text',
    outcome: 'no token request for each call, no negative lifetime',
    proofs: [
      bi('sign-in', 'uses a token of %s seconds for %i ms', 'requests one token for twenty calls (expires_in: %s)'),
    ],
  },
  17: {
    fault: 'the identity provider refuses with AADSTS7000222',
    outcome: 'its text and trace id are shown, the secret never',
    proofs: [bi('sign-in', 'states why it is refused: %s')],
  },
  18: {
    fault: 'an access token pasted with Bearer, with a line break, or expired',
    outcome: 'taken as meant; an expired one is not sent',
    proofs: [bi('sign-in', 'is recognized in %j', 'is not sent when it has expired')],
  },
  19: {
    fault: '429 with Retry-After in every form',
    outcome: 'waits by the rules; more than 300 s ends the scan with the time to come back',
    proofs: [
      clock(
        'is observed to within 5 %%: %s',
        'is replaced by our own back-off if it is %s',
        'of %s seconds ends the scan after one request',
      ),
      at('connectors/retry-after', '%j and body %j request a wait of %s ms'),
      at('background/loop', 'has a resume time, and resumes then under the same id'),
    ],
  },
  20: {
    fault: '429 to all workers at once',
    outcome: 'one shared pause, no burst after it',
    proofs: [
      transport('one rate limit pauses every call of the client, and no burst follows'),
      clock('ten calls after one 429 never start within 50 ms of each other'),
    ],
  },
  21: {
    fault: '503 twice; 500 for large pages only',
    outcome: 'succeeds; asks for fewer',
    proofs: [
      transport('a call that is answered %i twice and then 200 succeeds'),
      wiki('limits', 'after a failure on a large page, smaller pages are requested, which grow again'),
    ],
  },
  22: {
    fault: 'resets, stalls, names that do not resolve, cut JSON, wrong lengths, gzip bombs',
    outcome: 'tried again within max_retries; stopped at the byte cap',
    proofs: [
      bytes(
        '(%s) is requested again, up to max_retries times',
        'a length beyond the end of the body',
        'a length that cuts the body',
        'a reset in the body',
        'a stall in the body',
        'that decompresses without end is stopped at the limit, and not requested again',
        'a name that does not resolve is a network fault after all retries',
      ),
      transport('%s is retried', 'cut JSON'),
    ],
  },
  23: {
    fault: 'a sign-in page as 200',
    outcome: 'protocol_error, never an empty list',
    proofs: [
      transport('HTML with status 200 is retried once and then a protocol error'),
      wiki('faults', '%s in place of pages fails the scope and is not read as an empty one'),
    ],
  },
  24: {
    fault: 'max_retries is 0',
    outcome: 'exactly one attempt',
    proofs: [
      transport('without retries, a request is sent exactly once: %s'),
      clock('max_retries %i allows that many attempts after the first'),
    ],
  },
  25: {
    fault: 'an abort in a wait',
    outcome: 'ends within a second, no timer is left',
    proofs: [
      transport('an abort ends %s within a second'),
      bytes('an abort during a wait leaves no timer running'),
      wiki('refusals', 'an abort ends a crawl within a second'),
    ],
  },
}
