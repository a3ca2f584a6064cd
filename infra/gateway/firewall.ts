/**
 * The firewall of infra/firewall.yml, which only stages have that ask for it: it costs money also when nobody calls.
 */
import * as v from 'valibot'
import type { Resource } from '../service.ts'

const FIREWALL = 'Firewall'

const WebAcl = v.object({
  Rules: v.array(v.object({ Statement: v.object({ RateBasedStatement: v.object({ Limit: v.unknown() }) }) })),
})

/** Whether its rules have a rate. */
export const hasFirewall = ({ [FIREWALL]: firewall }: Record<string, Resource>): boolean =>
  v.parse(WebAcl, firewall?.Properties).Rules.every(({ Statement }) => Number(Statement.RateBasedStatement.Limit) > 0)

export const removeFirewall = (resources: Record<string, Resource>): void => {
  delete resources[FIREWALL]
  delete resources.FirewallOfApi
}
