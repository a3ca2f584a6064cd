/** Reads certificate, domain and hosted zone for the domain that a stack will create. */
import { ACMClient, DescribeCertificateCommand, ResourceNotFoundException } from '@aws-sdk/client-acm'
import { APIGatewayClient, GetDomainNameCommand, NotFoundException } from '@aws-sdk/client-api-gateway'
import {
  GetHostedZoneCommand,
  ListResourceRecordSetsCommand,
  NoSuchHostedZone,
  Route53Client,
} from '@aws-sdk/client-route-53'
import * as v from 'valibot'
import { AddressSettings } from '../gateway/address.ts'
import type { ClientConfig } from '../service.ts'
import { withoutEmpty } from '../settings.ts'
import { orNone, type Reading, read } from './reading.ts'

/** The settings of the domain. */
export interface NewDomain {
  domainName: string
  certificateArn: string
  /** Undefined: the stack creates no record. */
  zoneId: string | undefined
}

interface Certificate {
  /** `ISSUED`. */
  status: string
  /** Domain names, such as `*.example.org`. */
  names: string[]
}

interface Zone {
  /** Without the final dot. */
  name: string
  isPrivate: boolean
  /** Types of the domain's records in it. */
  records: string[]
}

/** An undefined value: it does not exist. */
export interface AddressOnAws extends NewDomain {
  certificate: Reading<Certificate | undefined>
  /** `stack`: the stack that created it, by its tag. */
  domain: Reading<{ stack: string | undefined } | undefined>
  zone: Reading<Zone | undefined> | undefined
}

/**
 * The domain that a stack in the region will create. Undefined: none, or the settings are invalid, which another check
 * reports.
 */
export const newDomainOf = (environment: NodeJS.ProcessEnv, region: string): NewDomain | undefined => {
  const parsed = v.safeParse(AddressSettings, withoutEmpty(environment))
  if (!parsed.success) return undefined
  const { DOMAIN_NAME, CERTIFICATE_ARN, HOSTED_ZONE_ID } = parsed.output
  if (DOMAIN_NAME === undefined || CERTIFICATE_ARN?.split(':')[3] !== region) return undefined
  return { domainName: DOMAIN_NAME, certificateArn: CERTIFICATE_ARN, zoneId: HOSTED_ZONE_ID }
}

export const readAddress = async (client: ClientConfig, newDomain: NewDomain): Promise<AddressOnAws> => {
  const { domainName, certificateArn, zoneId } = newDomain
  const [certificate, domain, zone] = await Promise.all([
    read('acm:DescribeCertificate', () => findCertificate(new ACMClient(client), certificateArn)),
    read('apigateway:GET', () => findDomain(new APIGatewayClient(client), domainName)),
    zoneId === undefined
      ? undefined
      : read('route53:GetHostedZone and ListResourceRecordSets', () =>
          findZone(new Route53Client(client), zoneId, domainName),
        ),
  ])
  return { ...newDomain, certificate, domain, zone }
}

const findCertificate = async (acm: ACMClient, CertificateArn: string): Promise<Certificate | undefined> => {
  const found = await orNone(ResourceNotFoundException, acm.send(new DescribeCertificateCommand({ CertificateArn })))
  if (found === undefined) return undefined
  const { Status = '', DomainName, SubjectAlternativeNames = [] } = found.Certificate ?? {}
  return { status: Status, names: [...new Set([DomainName ?? [], SubjectAlternativeNames].flat())] }
}

const findDomain = async (apiGateway: APIGatewayClient, domainName: string) => {
  const domain = await orNone(NotFoundException, apiGateway.send(new GetDomainNameCommand({ domainName })))
  return domain && { stack: domain.tags?.['aws:cloudformation:stack-name'] }
}

const findZone = async (route53: Route53Client, zoneId: string, domainName: string): Promise<Zone | undefined> => {
  const zone = await orNone(NoSuchHostedZone, route53.send(new GetHostedZoneCommand({ Id: zoneId })))
  if (zone === undefined) return undefined
  // Sorted by name, so the domain's own come first, of which there are fewer than 20.
  const { ResourceRecordSets = [] } = await route53.send(
    new ListResourceRecordSetsCommand({ HostedZoneId: zoneId, StartRecordName: domainName, MaxItems: 20 }),
  )
  return {
    name: (zone.HostedZone?.Name ?? '').replace(/\.$/, ''),
    isPrivate: zone.HostedZone?.Config?.PrivateZone ?? false,
    records: ResourceRecordSets.flatMap(({ Name, Type }) => (Name === `${domainName}.` && Type ? Type : [])),
  }
}
