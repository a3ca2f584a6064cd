/** Answers proof requests from the credentials that the wallet holds, immediately or as soon as it holds them. */
import { DifPresentationExchangeService } from '@credo-ts/core'
import { DidCommProofRole, DidCommProofState } from '@credo-ts/didcomm'
import { type FoundCredentials, selectAnonCreds } from './anoncreds-selection.ts'
import type { HolderAgent } from './holder-agent.ts'

/** The verifier must detect revocations: the wallet presents what it holds. */
const EVERYTHING = { filterByNonRevocationRequirements: false }

const ANONCREDS = ['indy', 'anoncreds'] as const

export class ProofAnswers {
  readonly #agent: HolderAgent
  #last: Promise<unknown> = Promise.resolve()

  constructor(agent: HolderAgent) {
    this.#agent = agent
  }

  /** Answers all requests that can be answered by now. */
  async answerAll(): Promise<void> {
    const state = DidCommProofState.RequestReceived
    const waiting = await this.#agent.didcomm.proofs.findAllByQuery({ role: DidCommProofRole.Prover, state })
    for (const { id } of waiting) await this.answer(id)
  }

  /** Answers one request; tells whether the wallet could. */
  async answer(proofId: string): Promise<boolean> {
    // One after the other: two messages may ask for an answer to the same request.
    const answered = this.#last.then(() => this.#answer(proofId))
    this.#last = answered.catch(() => {})
    return answered
  }

  async #answer(proofId: string): Promise<boolean> {
    const { proofs } = this.#agent.didcomm
    if ((await proofs.getById(proofId)).state !== DidCommProofState.RequestReceived) return false
    const { request = {} } = await proofs.getFormatData(proofId)
    const format = ANONCREDS.find((one) => one in request)
    const proofFormats = format === undefined ? await this.#jsonLd(proofId) : await this.#anonCreds(proofId, format)
    if (!proofFormats) return false
    await proofs.acceptRequest({ proofExchangeRecordId: proofId, proofFormats })
    return true
  }

  /** The first fitting credentials, or `undefined` if the wallet lacks a requested one. */
  async #jsonLd(proofId: string) {
    const { proofs } = this.#agent.didcomm
    const { proofFormats } = await proofs.getCredentialsForRequest({ proofExchangeRecordId: proofId })
    const found = proofFormats.presentationExchange
    if (!found?.areRequirementsSatisfied) return undefined
    const service = this.#agent.dependencyManager.resolve(DifPresentationExchangeService)
    return { presentationExchange: { credentials: service.selectCredentialsForRequest(found) } }
  }

  /** The same of AnonCreds, in the format of the request. */
  async #anonCreds(proofId: string, format: (typeof ANONCREDS)[number]) {
    const { proofs } = this.#agent.didcomm
    const { proofFormats } = await proofs.getCredentialsForRequest({
      proofExchangeRecordId: proofId,
      proofFormats: { [format]: EVERYTHING },
    })
    const found: FoundCredentials | undefined = proofFormats[format]
    const selected = found && selectAnonCreds(found)
    return selected && { [format]: selected }
  }
}
