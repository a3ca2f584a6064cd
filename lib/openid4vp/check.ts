/** Named checks of a response: each has an outcome, and the first that fails ends the session. */
import type { Check } from '../records/openid4vp.ts'

export type CheckName =
  | 'format'
  | 'query'
  | 'trust'
  | 'signature'
  | 'validity'
  | 'disclosures'
  | 'key_binding'
  | 'nonce'
  | 'audience'
  | 'transaction_data'
  | 'trusted_authorities'
  | 'status'

/** A check that has failed. The message is for the tenant, and quotes nothing that a wallet wrote. */
export class CheckError extends Error {
  readonly check: CheckName

  constructor(check: CheckName, message: string) {
    super(message)
    this.name = 'CheckError'
    this.check = check
  }
}

/** The checks that were performed, each once: with several credentials, a check has passed if it has passed for all. */
export class Checks {
  readonly #passed = new Set<CheckName>()

  pass(...names: CheckName[]): void {
    for (const name of names) this.#passed.add(name)
  }

  /** With the one that has failed, at the end. */
  list(failed?: CheckError): Check[] {
    const passed = [...this.#passed].filter((name) => name !== failed?.check).map((name) => ({ name, passed: true }))
    return failed === undefined ? passed : [...passed, { name: failed.check, passed: false, reason: failed.message }]
  }
}
