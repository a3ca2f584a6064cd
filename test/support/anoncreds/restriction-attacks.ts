/** Credentials that do not meet the restrictions, and none where one was asked for. */
import type { Json } from '../stage/in-process-stage.ts'
import type { Attack } from './attack.ts'
import { altered, present, trusted } from './bare-library.ts'
import { DEGREE, fromTrusted, held, instead, ofAge, proveAge, showDegree } from './holder.ts'

export const RESTRICTION_ATTACKS: Attack[] = [
  {
    name: "a stranger's credential in the name of the trusted definition",
    asked: DEGREE,
    answer: (request) =>
      altered(showDegree(request, held().strangers), ({ identifiers }) => {
        identifiers[0].cred_def_id = trusted.definitionId
        identifiers[0].schema_id = trusted.schemaId
      }),
    says: 'the proof is not valid',
    passesLibrary: false,
  },
  {
    name: "a stranger's credential",
    asked: DEGREE,
    answer: (request) => showDegree(request, held().strangers),
    says: 'the credential for "r0" does not meet the restrictions',
    passesLibrary: false,
  },
  {
    name: "a stranger's credential as one of a schema that it is not of",
    asked: { requested_attributes: { r0: { name: 'degree', restrictions: [{ schema_id: trusted.schemaId }] } } },
    answer: (request) =>
      altered(showDegree(request, held().strangers), ({ identifiers }) => {
        identifiers[0].schema_id = trusted.schemaId
      }),
    says: 'the credential definition is of another schema',
    passesLibrary: true,
  },
  {
    name: 'the value of a predicate whose attribute is restricted to another value',
    asked: ofAge({ p_value: 18, restrictions: [{ ...fromTrusted[0], 'attr::age::value': '40' }] }),
    answer: (request) => proveAge(request, { p_value: 18 }),
    says: 'the credential for "p0" does not meet the restrictions',
    passesLibrary: true,
  },
  {
    name: 'a restriction to the value of an attribute that is not revealed',
    asked: ofAge({ p_value: 18, restrictions: [{ ...fromTrusted[0], 'attr::degree::value': 'Bachelor' }] }),
    answer: (request) => proveAge(request, { p_value: 18 }),
    says: 'the credential for "p0" does not meet the restrictions',
    passesLibrary: false,
  },
  {
    name: 'a marked attribute that is not revealed',
    asked: ofAge({ p_value: 18, restrictions: [{ 'attr::degree::marker': '1' }] }),
    answer: (request) => proveAge(request, { p_value: 18 }),
    says: 'the credential for "p0" does not meet the restrictions',
    passesLibrary: true,
  },
  {
    name: 'a marked attribute that the schema does not have',
    asked: { requested_attributes: { r0: { name: 'degree', restrictions: [{ 'attr::honours::marker': '1' }] } } },
    answer: (request) => showDegree(request),
    says: 'the credential for "r0" does not meet the restrictions',
    passesLibrary: true,
  },
  ...[[], [{}]].map((restrictions) => ({
    name: `a self-attested attribute where any credential will do: restrictions ${JSON.stringify(restrictions)}`,
    asked: { requested_attributes: { r0: { name: 'degree', restrictions } } },
    answer: (request: Json) => present(request, held().linkSecret, [], { r0: 'Doctor' }),
    says: 'the attribute "r0" is self-attested, and must be of a credential',
    passesLibrary: true,
  })),
  {
    name: 'a self-attested attribute where a restriction applies',
    asked: DEGREE,
    answer: (request) =>
      present(instead(request, { requested_attributes: { r0: { name: 'degree' } } }), held().linkSecret, [], {
        r0: 'Doctor',
      }),
    says: 'the attribute "r0" is self-attested, and must be of a credential',
    passesLibrary: false,
  },
]
