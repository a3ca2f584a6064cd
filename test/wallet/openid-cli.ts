/** `npm run wallet -- "<link>"`: a wallet at the terminal. It accepts offers of OpenID4VCI, and answers requests of OpenID4VP with the received credentials, or with a sample. */
import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { localSettings } from '../../infra/local/settings.ts'
import { addHeld, heldCredentials } from './openid4vci/held-credentials.ts'
import { pinOf, readOffer, takeOffer } from './openid4vci/take-offer.ts'
import { answer, choose, type Disclosed, type Request } from './openid4vp/answer.ts'
import { readRequest } from './openid4vp/request.ts'
import { issueSample, type SampleCredential, VCT } from './openid4vp/sample-credential.ts'
import { sampleIssuer } from './openid4vp/sample-issuer.ts'
import { serveStatusList } from './openid4vp/status-list.ts'
import { oneLine, tell } from './terminal.ts'

const OPTIONS = {
  sample: { type: 'boolean' },
  revoke: { type: 'boolean' },
  'no-status': { type: 'boolean' },
  pin: { type: 'string' },
} as const

const folder = localSettings(process.env).issuerDir
const revokedFile = join(folder, 'sample-issuer-revoked')
const heldFile = join(folder, 'wallet-credentials.json')
const issuer = () => sampleIssuer(join(folder, 'sample-issuer.json'))

const isRevoked = (): Promise<boolean> =>
  access(revokedFile).then(
    () => true,
    () => false,
  )

/** Requested claims, by query: their paths. */
const requestedOf = ({ dcql }: Request): string[] => {
  const { credentials } = Object(dcql?.query) as { credentials: { meta?: object; claims?: { path: unknown[] }[] }[] }
  return credentials.map(({ meta, claims = [] }) => {
    const names = claims.map(({ path }) => path.map((part) => part ?? '*').join('.'))
    return `asks for ${JSON.stringify(Object(meta).vct_values)}: ${names.join(', ') || 'no claims'}`
  })
}

const narrate = (request: Request): void => {
  const { client, signedBy, transactionData = [], authorizationRequestPayload: payload } = request
  const { client_name } = Object(client.clientMetadata)
  tell(
    `request of ${client_name === undefined ? 'a verifier without a name' : `"${client_name}"`}: ${payload.client_id}`,
  )
  tell(`signed by ${signedBy.map(({ subject }) => subject.replaceAll('\n', ', ')).join(', issued by ')}`)
  for (const line of requestedOf(request)) tell(line)
  for (const { transactionData: data } of transactionData) tell(`asks to confirm ${JSON.stringify(data)}`)
}

/** Resolves to whether the verifier has accepted the answer. */
const present = async (request: Request, credential: SampleCredential, disclosed: Disclosed): Promise<boolean> => {
  for (const [id, claims] of Object.entries(disclosed)) tell(`presents ${id}: ${JSON.stringify(claims)}`)
  const response = await answer(request, credential, disclosed)
  const body = await response.text()
  tell(`${response.ok ? 'accepted' : 'refused'} (${response.status}): ${body}`)
  return response.ok
}

const presentSample = async (request: Request, hasStatus: boolean): Promise<boolean> => {
  const disclosed = choose(request)
  if (disclosed === undefined) throw new Error(`neither what was taken nor the sample (${VCT}) satisfies the request`)
  const signer = await (await issuer()).newSigner()
  // The list is there until the verifier has answered.
  await using list = hasStatus ? await serveStatusList(signer, await isRevoked()) : undefined
  return await present(request, await issueSample(signer, list?.uri), disclosed)
}

/** With the newest credential that satisfies the request alone, or else the sample. */
const answerRequest = async (link: string, hasStatus: boolean): Promise<boolean> => {
  const request = await readRequest(link)
  narrate(request)
  for (const held of await heldCredentials(heldFile)) {
    const disclosed = choose(request, held)
    if (disclosed !== undefined) return present(request, held, disclosed)
  }
  return presentSample(request, hasStatus)
}

const askForPin = async ({ description, length }: { description?: string; length?: number }): Promise<string> => {
  const digits = length === undefined ? '' : ` of ${length} characters`
  if (!process.stdin.isTTY) throw new Error(`the offer asks for a PIN${digits}: --pin`)
  using terminal = createInterface({ input: process.stdin, output: process.stdout })
  return await terminal.question(oneLine(`PIN${digits}${description === undefined ? '' : `, ${description}`}: `))
}

const takeOfferOf = async (link: string, given: string | undefined): Promise<boolean> => {
  const read = await readOffer(link)
  const { display } = read.issuerMetadata.credentialIssuer
  tell(`offer of "${display?.[0]?.name ?? 'an issuer without a name'}": ${read.offer.credential_issuer}`)
  const pin = pinOf(read.offer)
  for (const { compact, key } of await takeOffer(read, pin && (given ?? (await askForPin(pin)))))
    tell(`has ${JSON.stringify(await addHeld(heldFile, compact, key))}`)
  return true
}

const isOffer = (link: string): boolean => /^(openid-credential-offer|haip-vci):/.test(link)

const run = async (): Promise<boolean> => {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
  const [link, ...others] = positionals
  if (values.sample) console.log((await issuer()).certificate)
  else if (values.revoke) {
    await issuer()
    await writeFile(revokedFile, '')
    tell(`The sample credential is revoked. Remove ${revokedFile} to have a valid one again.`)
  } else if (link === undefined || others.length > 0) throw new Error('one link is needed')
  else if (isOffer(link)) return takeOfferOf(link, values.pin)
  else return answerRequest(link, !values['no-status'])
  return true
}

try {
  process.exitCode = (await run()) ? 0 : 1
} catch (error) {
  console.error(`The wallet could not answer: ${oneLine(error)}`)
  process.exitCode = 1
}
