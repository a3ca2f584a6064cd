/** What a holder who lies presents, and what a verifier is to say of it. */
import type { Attack } from './attack.ts'
import { PREDICATE_ATTACKS } from './predicate-attacks.ts'
import { RESTRICTION_ATTACKS } from './restriction-attacks.ts'
import { REVOCATION_ATTACKS } from './revocation-attacks.ts'
import { VALUE_ATTACKS } from './value-attacks.ts'

export const ATTACKS: Attack[] = [...VALUE_ATTACKS, ...PREDICATE_ATTACKS, ...RESTRICTION_ATTACKS, ...REVOCATION_ATTACKS]
