import type { AssayDocument } from '../../documents/document.ts'

/** Names of the topic, as used on pages that explain it. */
const subject =
  /prompt[ -]?injections?|prompt[ -]?leak(?:s|ing)?|jailbreak(?:s|ing)?|adversarial prompts?|prompt[ -]?hacking|injection d['’]invites?|inyecci[oó]n de prompts?|inje[cç][aã]o de prompts?|提示词?注入|プロンプト ?インジェクション|프롬프트 ?(?:인젝션|주입)|промпт-?инъекци/giu
const MIN_MENTIONS = 2

/** Whether a page names the topic in a heading, or at least MIN_MENTIONS times. */
export function isAboutInjection({ parts }: AssayDocument): boolean {
  let mentions = 0
  const headings = new Set<string>()
  for (const { text, headings: above = [] } of parts) {
    for (const _ of text.matchAll(subject)) if (++mentions >= MIN_MENTIONS) return true
    for (const heading of above) headings.add(heading)
  }
  return [...headings].some((heading) => heading.search(subject) >= 0)
}
