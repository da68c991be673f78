"""Mercer: kernels that carry their proofs, and the machines that learn with them.

>>> import mercer
>>> k = mercer.rbf(ell=0.5) + mercer.linear()
>>> mercer.SVC(C=10, kernel=k)
SVC(C=10, kernel=rbf(ell=0.5) + linear())
"""
from . import kernels, plot, rkhs, statistics
from ._base import load
from ._plan import plan
from ._domains.bags import bags, gaussians
from ._domains.graphs import graphs
from ._domains.series import series
from ._domains.nodes import nearest_neighbours, nodes
from .auto import Auto
from .approximation import Nystroem, RBFSampler
from .cca import KernelCCA
from .clusters import KernelKMeans, SpectralClustering
from .embedding import ClassicalMDS, KernelPCA
from .density import KernelDensity
from .discriminant import KernelFDA
from .explain import explain_prediction
from .geometry import distances, neighbours
from .gp import GaussianProcessRegressor
from .gpc import GaussianProcessClassifier
from .kernels import *  # noqa: F403: every name of the catalog
from .kernels import min
from .knn import KernelKNN, KernelKNNClassifier, KernelKNNRegressor
from .linear_svm import LinearSVC, LinearSVR
from .local_means import NadarayaWatson
from .logistic import KernelLogisticRegression
from .maps import RowMaps
from .mixture import KernelGaussianMixture
from .perceptron import KernelPerceptron
from .quantiles import KernelQuantileRegressor
from .report import report
from .rfm import RFMClassifier, RFMRegressor
from .ridge import KernelRidge, KernelRidgeCV
from .ridge_classifier import KernelRidgeClassifier
from .rvm import RVC, RVR
from .svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

__version__ = "0.6.0"

__all__ = [
    *kernels.__all__,
    "bags",
    "gaussians",
    "graphs",
    "distances",
    "explain_prediction",
    "load",
    "nearest_neighbours",
    "neighbours",
    "nodes",
    "plan",
    "plot",
    "report",
    "rkhs",
    "series",
    "statistics",
    "Auto",
    "ClassicalMDS",
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "KernelCCA",
    "KernelKMeans",
    "KernelKNN",
    "KernelKNNClassifier",
    "KernelKNNRegressor",
    "KernelDensity",
    "KernelFDA",
    "KernelGaussianMixture",
    "KernelLogisticRegression",
    "KernelPCA",
    "KernelPerceptron",
    "KernelQuantileRegressor",
    "KernelRidge",
    "KernelRidgeCV",
    "KernelRidgeClassifier",
    "LinearSVC",
    "LinearSVR",
    "NadarayaWatson",
    "NuSVC",
    "NuSVR",
    "Nystroem",
    "OneClassSVM",
    "RBFSampler",
    "RFMClassifier",
    "RFMRegressor",
    "RowMaps",
    "RVC",
    "RVR",
    "SVC",
    "SVR",
    "SpectralClustering",
]
