/** Whose agent a Credo context is: the first part of every key in the table. */
import type { AgentContext } from '@credo-ts/core'
import { BASE_AGENT } from '../records/tenant.ts'

export const tenantOf = ({ isRootAgentContext, contextCorrelationId }: AgentContext): string =>
  isRootAgentContext ? BASE_AGENT : contextCorrelationId
