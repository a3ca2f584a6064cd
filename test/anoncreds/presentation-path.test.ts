/** The way of an inbound AnonCreds presentation through the code, as docs/architecture.md describes it. */
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { type AnonCredsWorld, issueAnonCreds, startAnonCredsWorld } from '../support/anoncreds/world.ts'
import type { Network } from '../wallet/post.ts'
import { waitFor } from '../wallet/wait.ts'

const ROOT = `${process.cwd()}/`
const COUNTING = { callCount: true, detailed: false }

/** Parts of lib/agent of which a function ran during `act`. */
const partsRunDuring = async (act: () => Promise<unknown>): Promise<Set<string>> => {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', COUNTING)
    await act()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const run = result.filter(({ functions }) =>
      // The first function is the module itself.
      functions.slice(1).some(({ ranges }) => ranges.some(({ count }) => count > 0)),
    )
    const paths = run.map(({ url }) => relative(ROOT, url.startsWith('file:') ? fileURLToPath(url) : url))
    return new Set(paths.flatMap((path) => /^lib\/agent\/[\w-]+(?=\/)/.exec(path) ?? []))
  } finally {
    session.disconnect()
  }
}

/** The parts of the list in docs/architecture.md. */
const partsOfGuide = (): string[] => {
  const [, list = ''] = readFileSync('docs/architecture.md', 'utf8').split('**A presentation of AnonCreds**')
  const [steps = ''] = list.split('\n\n**')
  return [...steps.matchAll(/^\d+\. `(lib\/agent\/[\w/-]+)\/`/gm)].map(([, folder = '']) => folder)
}

let world: AnonCredsWorld
let run: Set<string> | undefined
let watching = false

/** Watches what runs while the wallet's next message is received. */
const watched: Network = (deliver) => async (endpoint, envelope, signal) => {
  if (!watching) return deliver(endpoint, envelope, signal)
  watching = false
  const delivered: Awaited<ReturnType<typeof deliver>>[] = []
  run = await partsRunDuring(async () => delivered.push(await deliver(endpoint, envelope, signal)))
  const [answer] = delivered
  if (answer === undefined) throw new Error('nothing was delivered')
  return answer
}

describeWithLibrary('an inbound presentation of AnonCreds', () => {
  beforeAll(async () => {
    world = await startAnonCredsWorld({ revocable: 10, network: watched })
  })
  afterAll(() => world.stop())

  test('passes the modules of lib/agent that the guide lists', async () => {
    const { stage, caller, wallet, credentialDefinitionId } = world
    await issueAnonCreds(world, { degree: 'Bachelor', age: '24' })
    const restrictions = [{ cred_def_id: credentialDefinitionId }]
    const requested = { degree: { name: 'degree', restrictions } }
    const anoncreds = { name: 'degree', version: '1.0', requested_attributes: requested, requested_predicates: {} }
    const body = {
      ...{ connectionId: world.connectionId, protocolVersion: 'v2', autoAcceptProof: 'always' },
      proofFormats: { anoncreds },
    }
    const { body: proof } = await stage.call('requestProof', { caller, body })
    const { proofs } = wallet.agent.didcomm
    const asked = await waitFor('the request', async () =>
      (await wallet.proofs()).find(({ threadId }) => threadId === proof.threadId),
    )
    const proofExchangeRecordId = asked.id
    const { proofFormats } = await proofs.selectCredentialsForRequest({ proofExchangeRecordId })
    watching = true
    await proofs.acceptRequest({ proofExchangeRecordId, proofFormats })
    const path = { ...caller, proofRecordId: proof.id }
    await waitFor('the proof to be verified', async () => {
      const { body: shown } = await stage.call('tenantProofFormData', { caller, path })
      return shown.state === 'done'
    })
    expect(wallet.journal.errors).toEqual([])
    expect([...(run ?? [])].toSorted()).toEqual(partsOfGuide().toSorted())
    expect(partsOfGuide().length).toBeLessThanOrEqual(12)
  })
})
