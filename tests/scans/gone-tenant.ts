import { createRandom } from '../../src/sample/ids.ts'
import { WikiTenant } from '../../src/sample/wiki/tenant.ts'
import {
  archivePage,
  deleteAttachment,
  deletePage,
  deleteVersions,
  editComment,
  editPage,
  purgeAttachment,
  purgePage,
  replaceAttachment,
  restorePage,
} from '../sample/edits.ts'

const places = ['body', 'comment', 'attachment'] as const

type Step = 'edit' | 'archive' | 'restore' | 'trash' | 'trashFile'

/** What happens to the secrets of a group, one step after the other; each leaves something that a reader can see. */
const groups: readonly { name: string; kind: 'page' | 'blogpost'; courses: readonly (readonly Step[])[] }[] = [
  { name: 'edited', kind: 'page', courses: [['edit'], ['edit', 'edit']] },
  {
    name: 'trashed',
    kind: 'page',
    courses: [['trash'], ['trash', 'restore'], ['edit', 'trash', 'restore'], ['trashFile', 'trash']],
  },
  {
    name: 'archived',
    kind: 'page',
    courses: [['archive'], ['archive', 'edit'], ['archive', 'trash'], ['archive', 'restore'], ['edit', 'archive']],
  },
  {
    name: 'blog',
    kind: 'blogpost',
    courses: [['edit'], ['trash'], ['edit', 'trash', 'restore'], ['trash', 'restore']],
  },
]

export interface PlantedSecret {
  /** Key of the asset that it is found in. */
  key: string
  value: string
  name: string
  place: (typeof places)[number]
  pageId: string
  /** The page, comment or file that has it. */
  itemId: string
  course: readonly Step[]
  /** The step of the tenant with which its course begins. */
  start: number
}

/** The steps of the longest course that begins last. */
export const STEPS = 6

export interface GoneTenant {
  tenant: WikiTenant
  secrets: readonly PlantedSecret[]
  /** Applies a step of the courses. */
  take(step: number): void
  /** Removes all that a reader can see of a secret. */
  purge(secret: PlantedSecret): void
  /** What a reader can see of a secret: its presence, or RESOLVED for nothing. */
  placeOf(secret: PlantedSecret): string
}

const inText = (value: string) => `<p>The key is ${value} today.</p>`
const decoder = new TextDecoder()

/** A wiki with as many secrets in each of the four groups, each in an item of its own. */
export function plantGone(perGroup: number): GoneTenant {
  let at = Date.UTC(2026, 0, 1)
  const tenant = new WikiTenant({ now: () => ++at })
  tenant.addUser({ accountId: 'account-1', displayName: 'Ana', email: '' })
  const spaces = ['ONE', 'TWO'].map((key) => tenant.addSpace({ key, name: `Space ${key}` }).id)
  const random = createRandom(47)
  const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
  const newValue = () => `sk_${'live_'}${Array.from({ length: 32 }, () => letters[Math.floor(random() * 56)]).join('')}`
  const secrets = groups.flatMap(({ name, kind, courses }) =>
    Array.from({ length: perGroup }, (_, index): PlantedSecret => {
      const place = places[index % places.length] ?? 'body'
      const value = newValue()
      const page = tenant.addPage({
        kind,
        spaceId: spaces[index % spaces.length] ?? '',
        title: `${name} ${index}`,
        body: place === 'body' ? inText(value) : '<p>text</p>',
      })
      const bytes = Buffer.from(`the key is ${value}\n`)
      const itemId = {
        body: () => page.id,
        comment: () => tenant.addComment(page.id, { body: inText(value) }).id,
        attachment: () => tenant.addAttachment(page.id, { title: 'a.txt', mediaType: 'text/plain', bytes }).id,
      }[place]()
      const key = { body: `page:${page.id}`, comment: `comments:${page.id}`, attachment: `attachment:${itemId}` }[place]
      const course = courses[Math.floor(index / places.length) % courses.length] ?? []
      const planted = { value, name: `${name} ${index} ${place}: ${course}`, place, pageId: page.id, itemId, course }
      return { ...planted, key: `wiki:${tenant.cloudId}:${key}`, start: index % 3 }
    }),
  )

  // Beside them the secrets that go are never so many at once that a scan would rather wait for the next.
  for (let index = 0; index < perGroup * 6; index++) {
    tenant.addPage({ spaceId: spaces[index % spaces.length] ?? '', title: `other ${index}`, body: '<p>text</p>' })
  }

  function apply({ place, pageId, itemId }: PlantedSecret, step: Step | undefined): void {
    if (step === 'archive') archivePage(tenant, pageId)
    else if (step === 'restore') restorePage(tenant, pageId)
    else if (step === 'trash') deletePage(tenant, pageId)
    else if (step === 'trashFile' && place === 'attachment') deleteAttachment(tenant, itemId)
    else if (step === 'edit' && place === 'body') editPage(tenant, itemId, { body: `<p>text ${at}</p>` })
    else if (step === 'edit' && place === 'comment') editComment(tenant, itemId, `<p>text ${at}</p>`)
    else if (step === 'edit') replaceAttachment(tenant, itemId, Buffer.from(`text ${at}`))
  }

  const textsOf = (id: string): string[] =>
    [...(tenant.versions.get(id) ?? []), tenant.pages.get(id) ?? tenant.comments.get(id) ?? tenant.attachments.get(id)]
      .filter((item) => item !== undefined)
      .map((item) => ('bytes' in item ? decoder.decode(item.bytes()) : tenant.bodyOf(item)))

  function placeOf({ pageId, itemId, value }: PlantedSecret): string {
    const page = tenant.pages.get(pageId)
    const texts = textsOf(itemId)
    if (page === undefined || !texts.some((text) => text.includes(value))) return 'RESOLVED'
    if (page.status === 'trashed' || tenant.attachments.get(itemId)?.status === 'trashed') return 'trash'
    if (texts.at(-1)?.includes(value) !== true) return 'history'
    return page.status === 'archived' ? 'archived' : 'current'
  }

  return {
    tenant,
    secrets,
    take: (step) => {
      for (const secret of secrets) apply(secret, secret.course[step - secret.start])
    },
    purge(secret) {
      const place = placeOf(secret)
      if (place === 'history') deleteVersions(tenant, secret.itemId)
      else if (place === 'trash' && tenant.getPage(secret.pageId).status !== 'trashed') {
        purgeAttachment(tenant, secret.itemId)
      } else if (place === 'trash') purgePage(tenant, secret.pageId)
      else {
        apply(secret, 'edit')
        deleteVersions(tenant, secret.itemId)
      }
    },
    placeOf,
  }
}
