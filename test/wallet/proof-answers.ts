/** Answers proof requests from the credentials that the wallet holds, at once or as soon as it holds them. */
import { DifPresentationExchangeService } from '@credo-ts/core'
import { DidCommProofRole, DidCommProofState } from '@credo-ts/didcomm'
import type { HolderAgent } from './holder-agent.ts'

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

  /** Answers one request; tells whether the wallet could. AnonCreds requests are left waiting. */
  async answer(proofId: string): Promise<boolean> {
    // One after the other: two messages may ask for an answer to the same request.
    const answered = this.#last.then(() => this.#answer(proofId))
    this.#last = answered.catch(() => {})
    return answered
  }

  async #answer(proofId: string): Promise<boolean> {
    const { proofs } = this.#agent.didcomm
    if ((await proofs.getById(proofId)).state !== DidCommProofState.RequestReceived) return false
    const credentials = await this.#select(proofId)
    if (!credentials) return false
    const proofFormats = { presentationExchange: { credentials } }
    await proofs.acceptRequest({ proofExchangeRecordId: proofId, proofFormats })
    return true
  }

  /** The first fitting credentials, or `undefined` if the wallet does not hold what is asked for. */
  async #select(proofId: string) {
    const { proofs } = this.#agent.didcomm
    const { request } = await proofs.getFormatData(proofId)
    if (!request || !('presentationExchange' in request)) return undefined
    const { proofFormats } = await proofs.getCredentialsForRequest({ proofExchangeRecordId: proofId })
    const found = proofFormats.presentationExchange
    if (!found?.areRequirementsSatisfied) return undefined
    return this.#agent.dependencyManager.resolve(DifPresentationExchangeService).selectCredentialsForRequest(found)
  }
}
