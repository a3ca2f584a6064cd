/** All scenarios, in the order of the table. */
import type { Scenario } from '../scenario.ts'
import { ANONCREDS } from './anoncreds.ts'
import { ANONCREDS_CREDENTIALS } from './anoncreds-credentials.ts'
import { CREDENTIALS } from './credentials.ts'
import { HANDSHAKES } from './handshakes.ts'
import { PRESENTATIONS } from './presentations.ts'
import { PROBLEM_REPORTS } from './problem-reports.ts'
import { ROUTES } from './routes.ts'
import { TALK } from './talk.ts'

export const SCENARIOS: readonly Scenario[] = [
  ...HANDSHAKES,
  ...TALK,
  ...ROUTES,
  ...CREDENTIALS,
  ...PRESENTATIONS,
  ...ANONCREDS,
  ...ANONCREDS_CREDENTIALS,
  ...PROBLEM_REPORTS,
]
