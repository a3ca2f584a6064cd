/**
 * Checks revealed values: text, encoding and the value in the sub-proof have to be equal. The library compares only the last two. `007` and `7`
 * encode to the same number, so a verifier can't tell which was signed.
 */
import { commonName } from '../../../../records/anoncreds-objects.ts'
import { encodedValue } from '../values/index.ts'
import { type Answers, quoted, Refused } from './answers.ts'
import type { Presentation } from './presentation.ts'

/** Throws `Refused`. */
export const assertRevealedValues = ({ attributes }: Answers, { proof: { proofs } }: Presentation): void => {
  for (const { referent, values } of attributes)
    for (const { raw, encoded } of values.values())
      if (encodedValue(raw) !== encoded)
        throw new Refused(`the value of ${quoted(referent)} is not the one that is encoded`)
  for (const [index, { primary_proof }] of proofs.entries()) {
    const shown = attributes.filter(({ subProof }) => subProof === index)
    const expected = new Map(
      shown.flatMap(({ values }) => [...values].map(([name, { encoded }]) => [commonName(name), encoded] as const)),
    )
    const revealed = Object.entries(primary_proof.eq_proof.revealed_attrs)
    if (
      revealed.length !== expected.size ||
      !revealed.every(([name, value]) => expected.get(commonName(name)) === value)
    )
      throw new Refused('the values that are shown are not those that a credential reveals')
  }
}
