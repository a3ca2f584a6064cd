/** `npm run wallet -- "<openid4vp://… link>"`: a wallet of OpenID4VP at the terminal, which holds a sample credential. */
import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { localSettings } from '../../../infra/local/settings.ts'
import { oneLine, tell } from '../terminal.ts'
import { answer, choose, type Request } from './answer.ts'
import { readRequest } from './request.ts'
import { issueSample, VCT } from './sample-credential.ts'
import { sampleIssuer } from './sample-issuer.ts'
import { serveStatusList } from './status-list.ts'

const OPTIONS = { sample: { type: 'boolean' }, revoke: { type: 'boolean' }, 'no-status': { type: 'boolean' } } as const

const folder = localSettings(process.env).issuerDir
const revokedFile = join(folder, 'sample-issuer-revoked')
const issuer = () => sampleIssuer(join(folder, 'sample-issuer.json'))

const isRevoked = (): Promise<boolean> =>
  access(revokedFile).then(
    () => true,
    () => false,
  )

/** What is asked for, by query: claims by their paths. */
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

const present = async (link: string, hasStatus: boolean): Promise<boolean> => {
  const request = await readRequest(link)
  narrate(request)
  const disclosed = choose(request)
  if (disclosed === undefined) throw new Error(`the sample (${VCT}) does not satisfy the request`)
  const signer = await (await issuer()).newSigner()
  await using list = hasStatus ? await serveStatusList(signer, await isRevoked()) : undefined
  const sample = await issueSample(signer, list?.uri)
  for (const [id, claims] of Object.entries(disclosed)) tell(`presents ${id}: ${JSON.stringify(claims)}`)
  // The list is there until the verifier has said what it thinks of the answer.
  const response = await answer(request, sample, disclosed)
  const body = await response.text()
  tell(`${response.ok ? 'accepted' : 'refused'} (${response.status}): ${body}`)
  return response.ok
}

const run = async (): Promise<boolean> => {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
  const [link, ...others] = positionals
  if (values.sample) console.log((await issuer()).certificate)
  else if (values.revoke) {
    await issuer()
    await writeFile(revokedFile, '')
    tell(`The sample credential is revoked. Remove ${revokedFile} to have a valid one again.`)
  } else if (link === undefined || others.length > 0) throw new Error('one link is needed')
  else return present(link, !values['no-status'])
  return true
}

try {
  process.exitCode = (await run()) ? 0 : 1
} catch (error) {
  console.error(`The wallet could not answer: ${oneLine(error)}`)
  process.exitCode = 1
}
