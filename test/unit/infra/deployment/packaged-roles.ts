/** The functions' roles in the packaged template. */
import * as v from 'valibot'
import type { Statement } from '../../../../infra/roles/policy.ts'
import type { Resource } from '../../../../infra/service.ts'
import { ofType } from '../../../support/stage/template.ts'

type Resources = Record<string, Resource>

const Role = v.object({ 'Fn::GetAtt': v.tuple([v.string(), v.literal('Arn')]) })

const Allow = v.looseObject({ Effect: v.literal('Allow'), Action: v.array(v.string()) })
const Policies = v.array(
  v.object({ PolicyDocument: v.object({ Statement: v.array(v.custom<Statement>((value) => v.is(Allow, value))) }) }),
)

const roleIn = ({ Properties }: Resource): string => v.parse(Role, Properties.Role)['Fn::GetAtt'][0]

/** Logical id of the role of a function. */
export const roleIdOf = (resources: Resources, key: string): string => {
  const id = `${key.replace(/^./, (letter) => letter.toUpperCase())}LambdaFunction`
  const found = resources[id]
  if (found === undefined) throw new Error(`there is no ${id}`)
  return roleIn(found)
}

/** Logical ids of all roles that Lambda may take. */
export const ofFunctions = (resources: Resources): string[] =>
  ofType(resources, 'AWS::IAM::Role')
    .filter(([, role]) => JSON.stringify(role).includes('lambda.amazonaws.com'))
    .map(([id]) => id)

/** Statements of the role of a function. */
export const statementsIn = (resources: Resources, key: string): Statement[] =>
  v
    .parse(Policies, resources[roleIdOf(resources, key)]?.Properties.Policies)
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
