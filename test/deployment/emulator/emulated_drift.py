"""Drift detection for the emulated AWS, which moto has not: of what tests change behind CloudFormation's back.

As on AWS, code of functions is not looked at, and nothing that the template does not say. moto 5.2.2.
"""

import json
from datetime import UTC, datetime

from moto.awslambda.models import lambda_backends
from moto.cloudformation import parsing
from moto.cloudformation.responses import CloudFormationResponse
from moto.cloudwatch.models import cloudwatch_backends
from moto.core.common_models import CloudFormationModel
from moto.core.responses import ActionResult
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.table import Table
from moto.iam.models import iam_backends
from moto.sns.models import sns_backends


class Alarm(CloudFormationModel):
    # moto takes the service out of it.
    __module__ = "moto.cloudwatch.models"

    def __init__(self, name):
        self.physical_resource_id = name

    @staticmethod
    def cloudformation_name_type():
        return "AlarmName"

    @staticmethod
    def cloudformation_type():
        return "AWS::CloudWatch::Alarm"

    @classmethod
    def create_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs):
        backend = cloudwatch_backends[account_id][region_name]
        # Nothing asks for what it watches.
        backend.put_metric_alarm(resource_name, "n", "m", "GreaterThanThreshold", 1, 60, 0, "Sum", "", [], [])
        return cls(resource_name)

    @classmethod
    def update_from_cloudformation_json(
        cls, original_resource, new_resource_name, cloudformation_json, account_id, region_name
    ):
        return original_resource

    @classmethod
    def delete_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name):
        cloudwatch_backends[account_id][region_name].delete_alarms([resource_name])

    @property
    def arn(self):
        return f"arn:aws:cloudwatch:eu-central-1:123456789012:alarm:{self.physical_resource_id}"

    @classmethod
    def has_cfn_attr(cls, attr):
        return attr == "Arn"

    def get_cfn_attribute(self, _attribute):
        return self.arn


make_table = Table.create_from_cloudformation_json.__func__


def make_whole_table(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs):
    """moto leaves the expiry of items and the backups out."""
    table = make_table(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs)
    properties = cloudformation_json["Properties"]
    backend = dynamodb_backends[account_id][region_name]
    if (expiry := properties.get("TimeToLiveSpecification")) is not None:
        backend.update_time_to_live(table.name, expiry)
    if (backups := properties.get("PointInTimeRecoverySpecification")) is not None:
        backend.update_continuous_backups(table.name, backups)
    return table


Table.create_from_cloudformation_json = classmethod(make_whole_table)


def as_json(policy):
    return json.loads(policy) if isinstance(policy, str) else policy


class Live:
    """What is there: by type, None where the resource is not, otherwise its properties as far as tests change them."""

    def __init__(self, account, region):
        self.of = lambda backends, where=region: backends[account][where]

    def Lambda_EventSourceMapping(self, uuid):
        mapping = self.of(lambda_backends).get_event_source_mapping(uuid)
        return mapping and {"Enabled": mapping.enabled}

    def Lambda_Function(self, name):
        function = self.of(lambda_backends).get_function(name)
        return {"Environment": {"Variables": function.environment_vars}}

    def DynamoDB_Table(self, name):
        ttl = self.of(dynamodb_backends).get_table(name).ttl
        enabled = ttl["TimeToLiveStatus"] == "ENABLED"
        return {"TimeToLiveSpecification": {"AttributeName": ttl.get("AttributeName"), "Enabled": enabled}}

    def IAM_Role(self, name):
        policies = self.of(iam_backends, "aws").get_role(name).policies
        return {"Policies": [{"PolicyName": one, "PolicyDocument": as_json(text)} for one, text in policies.items()]}

    def CloudWatch_Alarm(self, name):
        return {} if name in self.of(cloudwatch_backends).alarms else None

    def SNS_Topic(self, arn):
        return {} if arn in self.of(sns_backends).topics else None


def drift_of(stack, logical_id):
    resource_map = stack.resource_map
    template = resource_map._resource_json_map[logical_id]
    resource = resource_map._parsed_resources.get(logical_id)
    kind = template["Type"].removeprefix("AWS::").replace("::", "_")
    look = getattr(Live(stack.account_id, stack.region_name), kind, None)
    if resource is None or look is None:
        return None
    live = look(resource.physical_resource_id)
    drift = {
        "StackId": stack.stack_id,
        "LogicalResourceId": logical_id,
        "PhysicalResourceId": resource.physical_resource_id,
        "ResourceType": template["Type"],
        "Timestamp": datetime.now(UTC),
    }
    if live is None:
        return {**drift, "StackResourceDriftStatus": "DELETED"}
    expected = parsing.clean_json(template, resource_map).get("Properties", {})
    changed = [name for name, value in live.items() if name in expected and expected[name] != value]
    differences = [
        {
            "PropertyPath": f"/{name}",
            "ExpectedValue": json.dumps(expected[name], default=str),
            "ActualValue": json.dumps(live[name], default=str),
            "DifferenceType": "NOT_EQUAL",
        }
        for name in changed
    ]
    return {**drift, "StackResourceDriftStatus": "MODIFIED", "PropertyDifferences": differences} if changed else None


def detect_stack_drift(_response):
    return ActionResult({"StackDriftDetectionId": "drift"})


def describe_stack_drift_detection_status(_response):
    return ActionResult(
        {
            "StackId": "",
            "StackDriftDetectionId": "drift",
            "DetectionStatus": "DETECTION_COMPLETE",
            "Timestamp": datetime.now(UTC),
        }
    )


def describe_stack_resource_drifts(response):
    stack = response.cloudformation_backend.get_stack(response._get_param("StackName"))
    statuses = response._get_param("StackResourceDriftStatusFilters")
    drifts = [drift_of(stack, logical_id) for logical_id in stack.resource_map._resource_json_map]
    found = [drift for drift in drifts if drift is not None and drift["StackResourceDriftStatus"] in statuses]
    return ActionResult({"StackResourceDrifts": found})


CloudFormationResponse.detect_stack_drift = detect_stack_drift
CloudFormationResponse.describe_stack_drift_detection_status = describe_stack_drift_detection_status
CloudFormationResponse.describe_stack_resource_drifts = describe_stack_resource_drifts
