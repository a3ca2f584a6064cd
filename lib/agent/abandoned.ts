/** Problem reports of abandoned exchanges, for functions that load Credo only for them. */
import './compose.ts'

export { reportAbandonedCredential } from './exchanges/credentials/index.ts'
export { reportAbandonedProof } from './exchanges/proofs/index.ts'
