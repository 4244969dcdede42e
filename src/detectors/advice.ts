import { internalText, type SafeText } from '../kernel/safe-text.ts'

/** What to do with a finding, by its type, or else by its detector. */
const advice = new Map(
  Object.entries({
    SECRETS:
      'Revoke it where it was issued, and check the log of that service for uses since the day it was found. Issue a new one, keep it in a secret store, and link to its entry there. Then remove this one here and from earlier versions.',
    AWS_ACCESS_KEY:
      'Deactivate the access key in IAM under Security credentials of its user, and look for its id in CloudTrail. Give the workload a role, or create a new key and keep it in Secrets Manager. Then delete the old key, and its text here and in earlier versions.',
    GITHUB_TOKEN:
      'Revoke the token in GitHub under Settings, Developer settings, and look for it in the security log of its owner or organization. Where one is still needed, issue a fine-grained token that expires, and keep it in a secret store. Then remove this one here and from earlier versions.',
    GITLAB_TOKEN:
      'Revoke the token in GitLab under Access tokens of its user, project or group, and check when it was last used. Issue one with fewer scopes and an expiry date, and keep it in CI/CD variables that are masked. Then remove this one here and from earlier versions.',
    SLACK_TOKEN:
      'Revoke the token in Slack under OAuth & Permissions of its app, or with auth.revoke, and check the access logs of the workspace. Install the app again, and keep the new token in a secret store. Then remove this one here and from earlier versions.',
    STRIPE_KEY:
      'Roll the key in the Stripe dashboard under Developers, API keys, and check the request log for unknown calls. Use a restricted key, and keep it in a secret store. Then remove this one here and from earlier versions.',
    AZURE_CLIENT_SECRET:
      'Delete the client secret in Microsoft Entra under Certificates & secrets of its app registration, and check the sign-ins of its service principal. Use a managed identity or a certificate, or keep a new secret in Key Vault. Then remove this one here and from earlier versions.',
    GOOGLE_API_KEY:
      'Rotate the key in the Google Cloud console under APIs & Services, Credentials, and restrict the new one to the APIs and addresses that need it. Check its usage for unknown calls. Then remove this one here and from earlier versions.',
    PRIVATE_KEY:
      'Take the key out of use: remove its public half from servers and accounts, and revoke certificates made for it. Make a new pair where it is used, so that the private half never leaves that machine. Then remove this one here and from earlier versions.',
    JWT: 'End the session or revoke the token where it was issued; one that has expired only needs to be removed. If it was made to last, issue a short-lived one instead. Then remove it here and from earlier versions.',
    CONNECTION_STRING:
      'Change the password of the database account in it, and check its connections since the day it was found. Keep the new string in a secret store. Then remove this one here and from earlier versions; host and database may stay.',
    URL_CREDENTIAL:
      'Change the password in the address, and keep the new one in a secret store. Write the address here without user and password, and remove it from earlier versions.',
    PASSWORD:
      'Change the password, everywhere it is used, and check the sign-ins since the day it was found. Share the new one through a password manager, and link to its entry there. Then remove this one here and from earlier versions.',
    PASSWORD_HASH:
      'Treat the password behind it as known: change it, and do not use it again. Then remove the hash here and from earlier versions.',
    SESSION_COOKIE:
      'Sign out all sessions of that user, which makes the cookie worthless. Then remove it here and from earlier versions.',
    SIGNED_URL:
      'Let the link expire or withdraw what signed it, and check who has read what it opens. Link to the file itself, where people sign in, and remove this one here and from earlier versions.',
    PII: 'Decide whether it has to be here. If not, remove it, also from earlier versions, or replace it with the id of a record in the system that is meant for it. If so, restrict who can open the page, and say until when it is kept.',
    EMAIL:
      'An address for work may stay. Replace that of a private person with a role, a team or the id of a record in the system that is meant for it.',
    CREDIT_CARD:
      'Remove the number here and from earlier versions now: it must not be stored outside of systems made for card data. Use the last four digits or the id of the payment. Inform those responsible for card data, who decide whether the card is to be replaced.',
    SENSITIVE_COLUMN:
      'Decide who may read the column: hide it from the model, restrict it by object-level security, or leave it out where reports do not need it. Inform the owner of the dataset.',
    PROMPT_INJECTION:
      'Read the text as what an assistant would obey. If it is not needed, remove it; find out who wrote it and when, and keep assistants from the page meanwhile. An example or a lesson may stay as a false positive, with the reason.',
    HIDDEN_TEXT:
      'Check the source of the page: the text is there, though readers do not see it. Remove it unless someone explains it, and find in the history of the page who put it there.',
    DISCUSSED_INJECTION: 'The page is about injections. Nothing needs to be done, unless assistants read it.',
    BROKEN_LINKS:
      'Correct the link, point it to what replaced its target, or remove it. If many pages link there, let the owner of the target add a redirect.',
    ANCHOR_MISSING:
      'The page exists, the heading does not: link to the heading that it has now, or to the page itself.',
    HTTP_5XX:
      'The other site has an error of its own. Try it again in a day; correct or remove the link only if it stays.',
    TLS_ERROR: 'The certificate of the other site is not accepted. Inform its operator, or link elsewhere.',
    DUPLICATE:
      'Decide which of the texts is maintained. Move there what only the other one says, and replace the other one with a link, or archive it.',
    CONTENT_QUALITY: 'Ask the owner to correct it, or archive what is not needed.',
    STALE:
      'Ask the owner whether it still holds. Update it, mark it as out of date, or archive it, so that it is not followed by mistake.',
    OWNER_GONE: 'Give it an owner who is still here, or archive it.',
    NO_OWNER: 'Give it an owner, who is asked when something in it is wrong.',
    NO_DESCRIPTION: 'Say in two sentences what it shows, for whom, and where its numbers come from.',
    EMPTY: 'Write what the title promises, or delete the page.',
    PLACEHOLDER: 'Replace the placeholder with what belongs there, or remove its section.',
    CUSTOM: 'A rule of your own found it: the description of the detector says why it matters.',
  }),
)

/** What to do, in a paragraph; undefined for types of other scanners. */
export function findAdvice(detectorType: string, findingType: string): SafeText | undefined {
  const found = advice.get(findingType) ?? advice.get(detectorType)
  return found === undefined ? undefined : internalText(found)
}
