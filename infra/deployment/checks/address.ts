/**
 * Checks of the domain that the stack will create: the certificate is valid for it, and neither the domain nor its
 * record exists elsewhere.
 */
import { ofType, variablesOf } from '../../service.ts'
import type { Account } from '../account.ts'
import type { AddressOnAws } from '../address-on-aws.ts'
import { type Finding, findingsOf } from '../finding.ts'
import { ifRead } from '../reading.ts'

/** Wallets keep the address that the stage had when they connected. `publicUrl`: that of the next deployment. */
export const checkSameAddress = ({ stack }: Account, publicUrl: unknown): Finding[] => {
  if ('failure' in stack || stack.value === undefined) return []
  const functions = ofType(stack.value.template?.Resources ?? {}, 'AWS::Lambda::Function')
  const deployed = functions.map(([, lambda]) => variablesOf(lambda).PUBLIC_URL).find((url) => url !== undefined)
  // Another check reports invalid settings.
  if (deployed === undefined || publicUrl === undefined) return []
  const { ServiceEndpoint } = stack.value.outputs
  // An expression is for the address that AWS has generated.
  const [old, next] = [deployed, publicUrl].map((url) => (typeof url === 'string' ? url : ServiceEndpoint))
  const remedy = 'set PUBLIC_URL to it, or ALLOW_NEW_ADDRESS=true if it still leads to this service'
  return old === next ? [] : findingsOf('address').fault(`wallets keep ${old} permanently: ${remedy}`)
}

export const checkAddress = ({ address, stack, region }: Account): Finding[] => {
  if (address === undefined) return []
  // If the stack cannot be read, which `checkStack` reports, it is unknown whether domain and record are its own.
  const own = 'value' in stack ? (stack.value?.physicalIds ?? {}) : undefined
  return [
    ...checkCertificate(address, region),
    ...(own === undefined ? [] : [...checkDomain(address, own), ...checkZone(address, own)]),
  ]
}

const checkCertificate = ({ certificate, certificateArn: arn, domainName }: AddressOnAws, region: string): Finding[] =>
  ifRead('certificate', certificate, (there, { ok, fault }) => {
    const ask = `with \`aws acm request-certificate --domain-name ${domainName} --validation-method DNS\``
    if (there === undefined)
      return fault(`CERTIFICATE_ARN=${arn}: there is no such certificate in ${region}: request one ${ask}`)
    const { status, names } = there
    if (status === 'PENDING_VALIDATION')
      return fault(
        `${arn} is ${status}: create the DNS record that \`aws acm describe-certificate --certificate-arn ${arn}\` names, and wait until it is ISSUED`,
      )
    if (status !== 'ISSUED') return fault(`${arn} is ${status}: request another ${ask}`)
    if (!names.some((name) => covers(name, domainName)))
      return fault(`${arn} is for ${names.join(', ')}, not for ${domainName}: request one ${ask}`)
    return ok(`issued for ${domainName}`)
  })

/** An asterisk stands for one label. https://docs.aws.amazon.com/acm/latest/userguide/acm-concepts.html#concept-fqdn */
const covers = (name: string, domainName: string): boolean =>
  name.startsWith('*.') ? name.slice(1) === domainName.slice(domainName.indexOf('.')) : name === domainName

/**
 * A domain exists once in a region, in all accounts together.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/how-to-custom-domains.html
 */
const checkDomain = ({ domain, domainName }: AddressOnAws, own: Record<string, string>): Finding[] =>
  ifRead('domain', domain, (there, { ok, fault }) => {
    if (there === undefined) return ok(`${domainName} will be created`)
    if (own.ApiDomain === domainName) return ok(`${domainName} is the stack's`)
    const whose =
      there.stack === undefined ? 'already exists, and no stack has it' : `is the domain of the stack ${there.stack}`
    return fault(
      `${domainName} ${whose}: leave CERTIFICATE_ARN and HOSTED_ZONE_ID out to use it unchanged, or move it (docs/deploy.md, "Address")`,
    )
  })

/**
 * CloudFormation does not replace a record, and DNS allows no other record beside a CNAME (RFC 1034, section 3.6.2).
 */
const IN_THE_WAY = ['A', 'CNAME']

const checkZone = ({ zone, zoneId, domainName }: AddressOnAws, own: Record<string, string>): Finding[] => {
  if (zone === undefined) return []
  return ifRead('hosted zone', zone, (there, { ok, warning, fault }) => {
    if (there === undefined)
      return fault(`HOSTED_ZONE_ID=${zoneId}: there is no such zone: \`aws route53 list-hosted-zones\` has their ids`)
    const { name, isPrivate, records } = there
    if (domainName !== name && !domainName.endsWith(`.${name}`))
      return fault(`${zoneId} is ${name}, which ${domainName} is not in: set HOSTED_ZONE_ID to the zone that has it`)
    const inTheWay =
      own.ApiDomainRecord?.replace(/\.$/, '') === domainName ? [] : records.filter((type) => IN_THE_WAY.includes(type))
    if (inTheWay.length > 0)
      return fault(
        `${domainName} has a record of type ${inTheWay.join(', ')} already: delete it, or leave HOSTED_ZONE_ID out and point it to the output DomainTarget`,
      )
    if (isPrivate)
      return warning(`${zoneId} is private: only its networks will find ${domainName}; set that of the public zone`)
    return ok(name)
  })
}
