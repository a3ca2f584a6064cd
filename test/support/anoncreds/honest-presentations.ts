/** Presentations of honest holders, as requested. */
import type { Json } from '../stage/in-process-stage.ts'
import { issue, present, trusted, untrusted } from './bare-library.ts'
import {
  type Asked,
  DEGREE,
  FIRST,
  fromTrusted,
  held,
  instead,
  NOT_REVOKED,
  ofAge,
  secondList,
  showDegree,
  showNotRevoked,
} from './holder.ts'

export const HONEST: { name: string; asked: Asked; answer(request: Json): Json }[] = [
  { name: 'an attribute', asked: DEGREE, answer: (request) => showDegree(request) },
  {
    name: 'attributes, a group, predicates and a self-attested attribute, of two credentials',
    asked: {
      requested_attributes: {
        r0: { name: 'degree', restrictions: [{ issuer_id: trusted.definition.issuerId, schema_name: 'degree' }] },
        r1: {
          names: ['First Name', 'zip'],
          restrictions: [{ schema_id: untrusted.schemaId }, { schema_version: '1.0' }],
        },
        r2: { name: 'nickname' },
      },
      requested_predicates: {
        p0: { name: 'age', p_type: '>', p_value: 23, restrictions: fromTrusted },
        p1: { name: 'Age', p_type: '<=', p_value: 99, restrictions: [{ schema_issuer_id: untrusted.schema.issuerId }] },
        p2: { name: 'age', p_type: '<', p_value: 25, restrictions: [{}] },
      },
    },
    answer: (request) =>
      present(
        request,
        held().linkSecret,
        [
          { credential: held().credential, attributes: { r0: true }, predicates: ['p0', 'p2'] },
          { credential: held().untrusted, attributes: { r1: true }, predicates: ['p1'] },
        ],
        { r2: 'ada' },
      ),
  },
  {
    name: 'an attribute whose value is restricted by another one of the same credential, and markers',
    asked: {
      requested_attributes: {
        r0: { name: 'degree', restrictions: [{ 'attr::zip::value': '8001', 'attr::degree::marker': '1' }] },
        r1: { name: 'zip', restrictions: [] },
      },
      requested_predicates: {
        p0: { ...ofAge({ p_value: 18 }).requested_predicates.p0, restrictions: [{ 'attr::age::marker': '1' }] },
      },
    },
    answer: (request) =>
      present(
        instead(request, {
          requested_attributes: { r0: { name: 'degree' }, r1: { name: 'zip' } },
          requested_predicates: ofAge({ p_value: 18 }).requested_predicates,
        }),
        held().linkSecret,
        [{ credential: held().credential, attributes: { r0: true, r1: true }, predicates: ['p0'] }],
      ),
  },
  {
    name: 'a credential that is not revoked, by the list in force',
    asked: NOT_REVOKED,
    answer: (request) => showNotRevoked(request, held().credential, 4, secondList()),
  },
  {
    name: 'two credentials that are not revoked, of registries with lists of the same time',
    asked: { requested_attributes: { r0: { name: 'degree' }, r1: { name: 'zip' } }, non_revoked: { to: 100 } },
    answer: (request) =>
      present(
        request,
        held().linkSecret,
        [
          { issuer: trusted, credential: held().credential, index: 4, referent: 'r0' },
          {
            ...{ issuer: untrusted, index: 2, referent: 'r1' },
            credential: issue(untrusted, { linkSecret: held().linkSecret, index: 2 }),
          },
        ].map(({ issuer, credential, index, referent }) => ({
          ...{ credential, attributes: { [referent]: true } },
          nonRevocation: { issuer, index, list: issuer.registry.list },
        })),
      ),
  },
  {
    name: 'a credential that was revoked after the end of the interval',
    asked: { ...DEGREE, non_revoked: { to: 149 } },
    answer: (request) => showNotRevoked(request, held().revokedCredential, 3, FIRST),
  },
  {
    name: 'a credential of a revocable definition, where its revocation status is not requested',
    asked: { requested_attributes: { r0: { name: 'degree' } } },
    answer: (request) => showDegree(request, held().irrevocable),
  },
]
