/** Rights while versions change: as long as invocations go to the old ones, roles allow what these do too. */
import { isDeepStrictEqual } from 'node:util'
import { getAttOf, isObject, ofType, type Resource, type Template } from '../service.ts'

/**
 * The template with roles of functions that also allow what the deployed ones do. `deployed` is the stack's template as
 * text. Undefined: nothing that was allowed is left out. A role's policies may have 10,240 characters; the largest has
 * 2,300 of its own.
 */
export const withOldRights = (template: Template, deployed: string): Template | undefined => {
  const before = rolesIn(deployed)
  const widened = functionRoles(template).flatMap((id) => {
    const role = template.Resources[id]
    const old = before[id]
    if (role === undefined || old === undefined) return []
    const statements = JSON.parse(JSON.stringify(statementsOf(role)))
    const dropped = statementsOf(old).filter(
      (one) =>
        !statements.some((other: unknown) => isDeepStrictEqual(one, other)) &&
        // CloudFormation would refuse the template; what the old version did with it ends with the thing itself.
        referencesIn(one).every((name) => name.startsWith('AWS::') || name in template.Resources),
    )
    return dropped.length === 0 ? [] : [[id, allowingToo(role, dropped)] as const]
  })
  if (widened.length === 0) return undefined
  return { ...template, Resources: { ...template.Resources, ...Object.fromEntries(widened) } }
}

const functionRoles = ({ Resources }: Template): string[] => [
  ...new Set(
    ofType(Resources, 'AWS::Lambda::Function').flatMap(([, { Properties }]) => getAttOf(Properties.Role)?.[0] ?? []),
  ),
]

/** What `text` has of roles, by logical id; nothing where it is not a template in JSON. */
const rolesIn = (text: string): Record<string, Pick<Resource, 'Properties'>> => {
  try {
    const { Resources }: Record<string, unknown> = Object(JSON.parse(text))
    if (!isObject(Resources)) return {}
    const roles = Object.entries(Resources).flatMap(([id, one]) =>
      isObject(one) && one.Type === 'AWS::IAM::Role' && isObject(one.Properties)
        ? [[id, { Properties: one.Properties }] as const]
        : [],
    )
    return Object.fromEntries(roles)
  } catch {
    return {}
  }
}

const statementsOf = ({ Properties }: Pick<Resource, 'Properties'>): unknown[] => {
  const policies: unknown[] = Array.isArray(Properties.Policies) ? Properties.Policies : []
  return policies.flatMap((policy) => {
    const document = isObject(policy) ? policy.PolicyDocument : undefined
    return isObject(document) && Array.isArray(document.Statement) ? document.Statement : []
  })
}

const allowingToo = (role: Resource, Statement: unknown[]): Resource => {
  const { Policies } = role.Properties
  const old = { PolicyName: 'access-before', PolicyDocument: { Version: '2012-10-17', Statement } }
  return { ...role, Properties: { ...role.Properties, Policies: [...(Array.isArray(Policies) ? Policies : []), old] } }
}

/** Logical ids and pseudo parameters that a part of a template refers to. */
const referencesIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  if (!isObject(value)) return []
  const { Ref, 'Fn::Sub': sub } = value
  const [text]: unknown[] = Array.isArray(sub) ? sub : [sub]
  const named = typeof text === 'string' ? [...text.matchAll(/\$\{([A-Za-z0-9:]+)/g)].map(([, name = '']) => name) : []
  return [
    ...(typeof Ref === 'string' ? [Ref] : []),
    ...(getAttOf(value)?.slice(0, 1) ?? []),
    ...named,
    ...Object.values(value).flatMap(referencesIn),
  ]
}
