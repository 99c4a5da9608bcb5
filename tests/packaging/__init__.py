"""What an installation is made of: descriptions, bundle, images, graphs for other tools."""
