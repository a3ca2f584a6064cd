/** Checks the packaged template against the limits of CloudFormation, Lambda and IAM. */
import { isObject, ofType, type Template, variablesOf } from '../../service.ts'
import { type Finding, findingsOf } from '../finding.ts'

/**
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html; `bytes`: of a template in
 * S3.
 */
export const LIMITS = { bytes: 1_048_576, resources: 500, outputs: 200 }

/** Bytes of names and values together. https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const ENVIRONMENT_BYTES = 4096

/**
 * Characters. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html and Lambda's CreateFunction
 */
const NAMES = { 'AWS::IAM::Role': ['RoleName', 64], 'AWS::Lambda::Function': ['FunctionName', 64] } as const

export const checkTemplate = (template: Template): Finding[] => {
  const { ok, fault } = findingsOf('template')
  const counts = {
    bytes: Buffer.byteLength(JSON.stringify(template)),
    resources: Object.keys(template.Resources).length,
    outputs: Object.keys(template.Outputs).length,
  }
  const { bytes, resources, outputs } = counts
  const tooMuch = (['bytes', 'resources', 'outputs'] as const).filter((what) => counts[what] > LIMITS[what])
  if (tooMuch.length === 0)
    return ok(`${bytes} bytes, ${resources} of ${LIMITS.resources} resources, ${outputs} of ${LIMITS.outputs} outputs`)
  return tooMuch.flatMap((what) =>
    fault(
      `it has ${counts[what]} ${what}, and CloudFormation accepts ${LIMITS[what]}: remove operations or options from serverless.yml`,
    ),
  )
}

/** About as long as a value that AWS generates: the URL of a queue, or an ARN. */
const UNKNOWN = 'x'.repeat(120)

/** An estimate of what CloudFormation will resolve a value to: of the same length, or a little longer. */
export const estimated = (value: unknown, region: string): string => {
  if (!isObject(value)) return String(value ?? '')
  const { Ref, 'Fn::Join': join, 'Fn::Sub': sub, 'Fn::Select': select } = value
  if (Ref === 'AWS::Region') return region
  if (Ref === 'AWS::Partition') return 'aws'
  if (Ref === 'AWS::AccountId') return '000000000000'
  if (Array.isArray(join))
    return [join[1]]
      .flat()
      .map((part) => estimated(part, region))
      .join(String(join[0]))
  // A part of the stack's id.
  if (select !== undefined) return 'x'.repeat(8)
  if (sub === undefined) return UNKNOWN
  const [text, values]: unknown[] = Array.isArray(sub) ? sub : [sub]
  return String(text).replaceAll(/\$\{([^}]+)\}/g, (_, name) =>
    isObject(values) && name in values ? estimated(values[name], region) : estimated({ Ref: name }, region),
  )
}

export const checkEnvironments = (template: Template, region: string): Finding[] => {
  const { ok, fault } = findingsOf('environment')
  const sizes = ofType(template.Resources, 'AWS::Lambda::Function').map(([id, lambda]) => {
    const variables = Object.entries(variablesOf(lambda))
    const bytes = variables.map(([name, value]) => Buffer.byteLength(name + estimated(value, region)))
    const largest = variables[bytes.indexOf(Math.max(...bytes))]?.[0]
    return { id, largest, bytes: bytes.reduce((sum, one) => sum + one, 0) }
  })
  const tooLarge = sizes.filter(({ bytes }) => bytes > ENVIRONMENT_BYTES)
  if (tooLarge.length === 0)
    return ok(`at most ${Math.max(0, ...sizes.map(({ bytes }) => bytes))} of ${ENVIRONMENT_BYTES} bytes of a function`)
  const [{ id, largest, bytes } = { id: '', largest: '', bytes: 0 }] = tooLarge.toSorted((a, b) => b.bytes - a.bytes)
  const others = tooLarge.length > 1 ? `, and ${tooLarge.length - 1} others have too many` : ''
  return fault(
    `${id} has ${bytes} bytes, and Lambda accepts ${ENVIRONMENT_BYTES}${others}: ${largest} is the largest, make it shorter`,
  )
}

const ofName = findingsOf('stage name')

/** Checks the length of names that contain the stage's name. */
export const checkNames = (template: Template, region: string, stage: string): Finding[] => {
  const tooLong = Object.entries(NAMES).flatMap(([type, [property, most]]) =>
    ofType(template.Resources, type).flatMap(([, { Properties }]) => {
      const name = estimated(Properties[property], region)
      return name.length > most ? [{ name, most }] : []
    }),
  )
  const [worst] = tooLong.toSorted((a, b) => b.name.length - a.name.length)
  return worst === undefined ? ofName.ok(stage) : tooLongBy(stage, worst.name, worst.most)
}

/** Checks the name of the stage, which is a part of the names of API stage, stack and functions. */
export const checkStageName = (stage: string, functionNames: readonly string[]): Finding[] => {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,39}$/.test(stage))
    return ofName.fault(
      `${JSON.stringify(stage)} is not a name for a stack: it must be at most 40 letters, digits and hyphens`,
    )
  const longest = functionNames.reduce((a, b) => (b.length > a.length ? b : a), '')
  const [, most] = NAMES['AWS::Lambda::Function']
  return longest.length > most ? tooLongBy(stage, longest, most) : []
}

const tooLongBy = (stage: string, name: string, most: number): Finding[] =>
  ofName.fault(
    `${stage} is ${name.length - most} characters too long: ${name} has ${name.length}, and AWS accepts ${most}`,
  )
