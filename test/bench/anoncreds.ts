/**
 * What AnonCreds costs, warm: offer, issue and verify by the functions, each beside the bare library doing the same in
 * the same round.
 */
// First: Credo's AnonCreds copies the library's name when it is imported.
import '../support/environment.ts'
import type { DidCommEncryptedMessage } from '@credo-ts/didcomm'
import { folderOnThisMachine, WITHOUT_LIBRARY } from '../../infra/anoncreds/library-file.ts'
import { requestForLibrary } from '../../lib/agent/formats/anoncreds/presentation-checks/request.ts'
import { libraryVerifies, newLinkSecret, offerOf, prepareIssuing, trusted } from '../support/anoncreds/bare-library.ts'
import { AnonCredsScene, WALLET } from '../support/bench/anoncreds-scene.ts'
import { type BundledStage, startBundledStage } from '../support/bench/bundled-stage.ts'
import { unpackFunctions } from '../support/bench/bundles.ts'
import type { GatewayCall } from '../support/bench/gateway-event.ts'
import { median, quantile, rounded } from '../support/bench/quantile.ts'
import { type CapturingWallet, startCapturingWallet } from '../support/bench/scene.ts'
import { type Cell, printTable } from '../support/bench/table.ts'
import type { Json } from '../support/stage/in-process-stage.ts'

const WARM_UP = 15
const ROUNDS = 20
const DEFINITIONS = 3

/** What the scene and the deliveries call. */
const FUNCTIONS = [
  ...['create-tenant', 'create-request', 'get-connections', 'create-schema', 'create-credential-definition'],
  ...['get-credential-definition-by-id', 'create-offer', 'get-credential-by-id', 'receive-didcomm'],
  ...['tenant-proof-form-data', 'get-webvh-log', 'get-webvh-resource', 'get-tails-file'],
  ...['run-jobs', 'dispatch-changes', 'deliver', 'deliver-slowly', 'wake'],
]

/** The function at most this many times the bare library. */
const RATIO = 2.5

/** Ms, at most. */
const ISSUE_MS = 80
const VERIFY_MS = 120

/** Ms, and of them those of the processor. */
interface Spent {
  ms: number
  cpuMs: number
}

/** One of the function, and one of the library alone. */
interface Round {
  ours: Spent
  bare: Spent
}

type Timed<T> = Spent & { value: T }

const ownCpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const timed = async <T>(act: () => Promise<T> | T, cpuMs = ownCpuMs): Promise<Timed<T>> => {
  const before = cpuMs()
  const startedAt = performance.now()
  const value = await act()
  return { ms: performance.now() - startedAt, cpuMs: cpuMs() - before, value }
}

class Bench {
  readonly #stage: BundledStage
  readonly #capturing: CapturingWallet
  readonly #scene: AnonCredsScene

  constructor(stage: BundledStage, capturing: CapturingWallet, scene: AnonCredsScene) {
    this.#stage = stage
    this.#capturing = capturing
    this.#scene = scene
  }

  /** An offer, and the credential that the wallet asks for then. */
  async issue(): Promise<{ offer: Round; issue: Round }> {
    const offer = await this.#timed('create-offer', this.#scene.offerCall)
    const bareOffer = await timed(() => offerOf(trusted))
    const captured = await this.#scene.request(offer.value)
    const { sign } = prepareIssuing(trusted, { linkSecret: newLinkSecret(), index: 1 })
    const issue = await this.#receive(captured.envelope)
    await this.#scene.settled(captured)
    const bare = await timed(() => sign().toJson())
    return { offer: { ours: offer, bare: bareOffer }, issue: { ours: issue, bare } }
  }

  /** A presentation, and the same one verified by the library alone, with the objects that it names. */
  async verify(nonRevoked: boolean): Promise<Round> {
    const captured = await this.#scene.present({ nonRevoked })
    const { request, presentation } = await this.#capturing.wallet.proofContents(captured.walletRecordId)
    const objects = await this.#objects(presentation?.anoncreds)
    const ours = await this.#receive(captured.envelope)
    await this.#scene.settled(captured)
    const path = { tenantId: this.#scene.caller.tenantId, proofRecordId: captured.id }
    const { isVerified, errorMessage } = await this.#call('tenant-proof-form-data', { path })
    if (isVerified !== true) throw new Error(`a presentation was not verified: ${errorMessage}`)
    const asked = requestForLibrary(request?.anoncreds as Json)
    const bare = await timed(() => libraryVerifies(asked, presentation?.anoncreds, objects))
    if (!bare.value) throw new Error('the library does not verify a presentation')
    return { ours, bare }
  }

  /** Seconds from the request for a definition until it is finished. */
  async define(tag: string): Promise<number> {
    return (await timed(() => this.#scene.define(tag))).ms / 1000
  }

  async #call(name: string, call: GatewayCall): Promise<Json> {
    const { status, body } = await this.#stage.call(name, call)
    if (status >= 300) throw new Error(`${name} answers ${status}: ${JSON.stringify(body)}`)
    return body
  }

  #timed(name: string, call: GatewayCall): Promise<Timed<Json>> {
    return timed(
      () => this.#call(name, call),
      () => this.#stage.cpuMs(name),
    )
  }

  #receive(envelope: DidCommEncryptedMessage): Promise<Timed<Json>> {
    return this.#timed('receive-didcomm', { path: this.#scene.caller, body: envelope })
  }

  /** What a presentation names, as the wallet reads it. */
  async #objects(presentation: Json) {
    const { anoncreds } = this.#capturing.wallet.agent.modules
    const [{ schema_id, cred_def_id, rev_reg_id, timestamp }] = presentation.identifiers
    const { schema } = await anoncreds.getSchema(schema_id)
    const { credentialDefinition } = await anoncreds.getCredentialDefinition(cred_def_id)
    const base = { schemas: { [schema_id]: schema }, definitions: { [cred_def_id]: credentialDefinition } }
    // The library takes none where none is asked for.
    if (timestamp === undefined || timestamp === null) return { ...base, registries: {}, lists: [] }
    const { revocationRegistryDefinition } = await anoncreds.getRevocationRegistryDefinition(rev_reg_id)
    const { revocationStatusList } = await anoncreds.getRevocationStatusList(rev_reg_id, timestamp)
    return { ...base, registries: { [rev_reg_id]: revocationRegistryDefinition }, lists: [revocationStatusList] }
  }
}

const rounds = async <T>(measure: () => Promise<T>): Promise<T[]> => {
  for (let round = 0; round < WARM_UP; round++) await measure()
  const measured: T[] = []
  for (let round = 0; round < ROUNDS; round++) measured.push(await measure())
  return measured
}

/** `maxMs`: the target; an offer has none, since the library does next to nothing for one. */
const toRow = (name: string, measured: Round[], maxMs?: number): Cell[] => {
  const middle = (pick: (round: Round) => number) => median(measured.map(pick))
  const ms = middle(({ ours }) => ours.ms)
  const ratio = middle(({ ours, bare }) => ours.ms / bare.ms)
  const isMet = maxMs !== undefined && ms <= maxMs && ratio <= RATIO
  return [
    name,
    rounded(ms),
    rounded(
      quantile(
        measured.map(({ ours }) => ours.ms),
        0.9,
      ),
    ),
    rounded(middle(({ ours }) => ours.cpuMs)),
    rounded(middle(({ bare }) => bare.ms)),
    rounded(middle(({ bare }) => bare.cpuMs)),
    rounded(ratio, 2),
    rounded(
      middle(({ ours, bare }) => ours.cpuMs / bare.cpuMs),
      2,
    ),
    maxMs === undefined ? 'none' : `${maxMs} ms, ${RATIO} × ${isMet ? 'met' : 'missed'}`,
  ]
}

const print = async (bench: Bench): Promise<void> => {
  const issued = await rounds(() => bench.issue())
  const plain = await rounds(() => bench.verify(false))
  const nonRevoked = await rounds(() => bench.verify(true))
  const seconds: number[] = []
  for (let made = 0; made < DEFINITIONS; made++) seconds.push(await bench.define(`bench-${made}`))
  printTable(
    `AnonCreds, warm: ms, ${ROUNDS} rounds`,
    ['what', 'p50', 'p90', 'processor', 'bare library', 'processor', 'ratio', 'of processor', 'target'],
    [
      toRow(
        'offer',
        issued.map(({ offer }) => offer),
      ),
      toRow(
        'issue (a credential that can be revoked)',
        issued.map(({ issue }) => issue),
        ISSUE_MS,
      ),
      toRow('verify', plain, VERIFY_MS),
      toRow('verify, with non-revocation', nonRevoked, VERIFY_MS),
    ],
    [
      'Of a function: from the event to the answer, the transaction included, in a separate process over the embedded DynamoDB. The ratios are medians of the rounds; those of the processor hold on a busy machine, too.',
      `A credential definition with revocation, from the request until it is finished, in s: ${seconds.map((one) => rounded(one)).join(', ')} (key generation takes a random time).`,
    ],
  )
}

export const measureAnonCreds = async (): Promise<void> => {
  if (folderOnThisMachine() === undefined) return console.log(`\n${WITHOUT_LIBRARY}`)
  const unpacked = await unpackFunctions(FUNCTIONS)
  const stage = await startBundledStage(unpacked.functions)
  const capturing = await startCapturingWallet(WALLET)
  try {
    await print(new Bench(stage, capturing, await AnonCredsScene.play(stage.call, capturing)))
  } finally {
    await capturing.wallet.stop()
    await stage.stop()
    await unpacked.remove()
  }
}
