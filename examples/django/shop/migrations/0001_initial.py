"""Orders."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """A table for them."""

    initial = True
    dependencies = ()
    operations = (
        migrations.CreateModel(
            name="Order",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("to", models.EmailField(max_length=254)),
                ("mailed", models.BooleanField(default=False)),
                ("task", models.UUIDField(null=True)),
            ],
        ),
    )
