import { at, bi, bodies, type SurvivedFault, scans, wiki } from './fault-proofs.ts'

/** What is odd in what a tenant holds, and in how a scan meets it. */
export const contentFaults: Record<number, SurvivedFault> = {
  26: {
    fault: 'an unknown space key among good ones, all unknown, 250 keys',
    outcome: 'reported; failed; asked for in parts',
    proofs: [
      wiki(
        'source',
        'reports names that match nothing',
        'fails when %j matches nothing',
        'requests hundreds of long keys in addresses of bounded length',
      ),
      scans(
        'platform',
        'with one wrong key among valid ones is scanned, and the wrong one is named',
        'of wrong keys only fails',
      ),
    ],
  },
  27: {
    fault: 'a closed, an archived and a personal space',
    outcome: 'the closed scope fails, the others go on',
    proofs: [
      wiki('listing', 'are listed for closed, archived and personal spaces separately'),
      scans('platform', 'a closed space'),
    ],
  },
  28: {
    fault: 'archived pages in the default listing',
    outcome: 'left out, by asking for current ones',
    proofs: [wiki('listing', 'do not include archived and trashed pages')],
  },
  29: {
    fault: 'members that are null, missing, unknown or of unknown value',
    outcome: 'no harm; the address is made of the space and the id',
    proofs: [wiki('refusals', 'members that are missing, null or unknown are tolerated')],
  },
  30: {
    fault: 'a body of 10 MB, split CDATA, macros 200 deep, broken markup',
    outcome: 'the text is kept, in time and without a stack overflow',
    proofs: [
      wiki('content', 'of ten megabytes, with deep macros, split CDATA and broken markup, keep their text'),
      at('documents/confluence-storage', 'deep nesting', 'a split CDATA end mark inside a code macro is joined'),
    ],
  },
  31: {
    fault: 'a secret split by inline tags',
    outcome: 'contiguous',
    proofs: [at('documents/confluence-storage', 'inline tags leave no gap')],
  },
  32: {
    fault: '300 comments, deep replies, settled and lost ones, replies that cannot be read',
    outcome: 'one asset, the same checksum again, said to be in part',
    proofs: [
      wiki(
        'refusals',
        'with many comments and deep replies give the same asset in every scan (site lists include replies: %s)',
      ),
      wiki(
        'content',
        'are included when they are resolved or their text is gone, and omitted when they are deleted',
        'without their replies are a partially read asset, which the next scan completes',
        'are read as far as possible while replies cannot be read, even if they were complete before',
      ),
      scans('platform', 'findings in replies are not resolved while replies cannot be read'),
    ],
  },
  33: {
    fault: 'attachments with false sizes or types, redirects, passwords or bombs inside, or the same title',
    outcome: 'the status says which; a title is never a path',
    proofs: [
      wiki(
        'limits',
        'a larger text is read up to the limit, and the scan warns',
        'a file that is larger than the wiki reports is cut, too, and its document is marked as truncated',
      ),
      wiki('crawl', 'a file name is never used as a path'),
      wiki(
        'refusals',
        'a redirect to %s is not followed',
        'an encrypted PDF',
        'a bomb',
        'an archive',
        'no size',
        'a sign-in page is not read as the content of a file',
      ),
      wiki(
        'content',
        'that are %s are reported as failed and read by the next scan',
        'with the same title are distinguished by their ids',
      ),
      bodies('request a new redirect when the media token has expired'),
    ],
  },
  34: {
    fault: 'a linked file at an address inside the network, or with credentials in it',
    outcome: 'never fetched',
    proofs: [
      wiki('refusals', 'no address in a page is ever requested'),
      scans('canary', 'no address outside the tenant is ever sent a credential (address%s)'),
    ],
  },
  35: {
    fault: 'a link to a page in its many forms',
    outcome: 'one target',
    proofs: [
      wiki('listing', 'include a page once, although addresses name it in many ways'),
      at('cross-asset-checks/links', 'are resolved by title, id and anchor'),
      at('documents/text', 'a tiny link decodes to its page id'),
    ],
  },
  36: {
    fault: '403 on one workspace of ten',
    outcome: 'nine done, one failed, nothing in it deleted',
    proofs: [scans('platform', 'one closed workspace of ten affects only itself, and its findings are kept')],
  },
  37: {
    fault: 'a report whose dataset is in another workspace, not visible, or missing',
    outcome: 'the link is kept by the id of the dataset',
    proofs: [
      bi(
        'crawl',
        'links the lineage across workspaces and through app copies',
        'links no workspace for a dataset whose workspace is unknown',
      ),
    ],
  },
  38: {
    fault: 'tiles without report and dataset',
    outcome: 'counted, no link',
    proofs: [bi('crawl', 'counts tiles without a target')],
  },
  39: {
    fault: 'every refusal of the methods of reading a schema',
    outcome: 'the next way, with the reason of each; queries are switched off once the tenant refuses',
    proofs: [
      bi('schema', 'states why there is no schema: %s', 'sends no further queries once the tenant has refused them'),
      bi('schema', '501 on the tables of a push dataset', 'an error inside 200'),
      bodies('may be empty or begin with a byte-order mark'),
    ],
  },
  40: {
    fault: 'a metadata scan that never ends, fails or has an expired result; 101 workspaces',
    outcome: 'at most 100 in one, bounded looks, halves on failure, then the other ways',
    proofs: [
      bi(
        'schema',
        'that %s does not prevent reading by queries',
        'requests a hundred workspaces at a time, and halves a batch that fails',
      ),
      bi('stuck', 'a metadata scan that never ends is abandoned once, after ten minutes and a bounded number of polls'),
    ],
  },
  41: {
    fault: 'property names in another letter case',
    outcome: 'the same',
    proofs: [bi('crawl', 'order, addresses and letter case of keys change nothing')],
  },
  42: {
    fault: 'copies of reports in apps',
    outcome: 'one asset',
    proofs: [bi('crawl', 'yields every item once, with a key of ids only')],
  },
  43: {
    fault: 'a workspace is renamed',
    outcome: 'it changes, its items do not',
    proofs: [bi('crawl', 'a renamed workspace changes no other asset')],
  },
  44: {
    fault: 'workspace ids in capital letters',
    outcome: 'they match',
    proofs: [bi('discovery', 'by id in any letter case')],
  },
  45: {
    fault: 'personal workspaces asked for by an application',
    outcome: 'a warning, not silence',
    proofs: [bi('discovery', 'are unavailable to an application without admin rights, with a warning')],
  },
  46: {
    fault: 'a crash after some pages',
    outcome: 'no asset twice, none missing',
    proofs: [
      scans('kill', 'a scan that is killed repeatedly has the same result as an undisturbed one'),
      wiki('choices', 'a crawl resumes from the cursor of any batch, without losing or repeating a page'),
      bi('crawl', 'resume after the stored batch'),
    ],
  },
  47: {
    fault: 'two scans of one source at once',
    outcome: 'the second is refused with the id of the first',
    proofs: [
      scans('operations', 'starts one scan for fifty callers'),
      scans('scan', 'is named by the error when it is started a second time'),
      scans('overlap', 'fifty triggers through every interface start one scan, and the others return its id'),
    ],
  },
  48: {
    fault: 'a page is missing once, twice, and present again',
    outcome: 'kept, deleted by the second whole scan, restored under its key',
    proofs: [
      scans(
        'scan',
        'is deleted by the second complete scan, and its findings are resolved',
        'is kept until it is missing in two scans in a row',
        'is restored when it is listed again',
      ),
    ],
  },
  49: {
    fault: 'a page is missing from a partial or sampled scan',
    outcome: 'kept',
    proofs: [
      scans(
        'scan',
        'is kept when only a sample was scanned',
        'is kept when the listing is incomplete',
        'continues with other scopes when one cannot be listed, and resolves nothing in it',
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
        'reads exactly %s',
      ),
      wiki('choices', 'change only the checksum of their own page'),
      bi('crawl', 'gives the same checksums for an unchanged tenant', 'a measure changes the dataset'),
      bi('sample', 'a second scan as %s finds nothing changed, and an edit changes one asset'),
    ],
  },
}
