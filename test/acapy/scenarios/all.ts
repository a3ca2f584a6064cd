/** All scenarios, in the order of the table. */
import type { Scenario } from '../scenario.ts'
import { ANONCREDS } from './anoncreds.ts'
import { ANONCREDS_HELD } from './anoncreds-held.ts'
import { ANONCREDS_ISSUED } from './anoncreds-issued.ts'
import { ANONCREDS_PRESENTED } from './anoncreds-presented.ts'
import { ANONCREDS_REVOKED } from './anoncreds-revoked.ts'
import { CREDENTIALS } from './credentials.ts'
import { HANDSHAKES } from './handshakes.ts'
import { HELD_CREDENTIALS } from './held-credentials.ts'
import { OWN_INVITATIONS } from './own-invitations.ts'
import { PICKUP } from './pickup.ts'
import { PRESENTATIONS } from './presentations.ts'
import { PROBLEM_REPORTS } from './problem-reports.ts'
import { PROVED } from './proved.ts'
import { QUESTIONS } from './questions.ts'
import { ROUTES } from './routes.ts'
import { TAKEN_INVITATIONS } from './taken-invitations.ts'
import { TALK } from './talk.ts'

export const SCENARIOS: readonly Scenario[] = [
  ...HANDSHAKES,
  ...OWN_INVITATIONS,
  ...TAKEN_INVITATIONS,
  ...TALK,
  ...QUESTIONS,
  ...ROUTES,
  ...PICKUP,
  ...CREDENTIALS,
  ...HELD_CREDENTIALS,
  ...PRESENTATIONS,
  ...PROVED,
  ...ANONCREDS,
  ...ANONCREDS_ISSUED,
  ...ANONCREDS_PRESENTED,
  ...ANONCREDS_REVOKED,
  ...ANONCREDS_HELD,
  ...PROBLEM_REPORTS,
]
